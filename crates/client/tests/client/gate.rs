//! Actions that this client performs for an agent only with permission: writing files, reading
//! secrets, running commands.

use crate::scripted_agent::{ScriptedAgent, connected_with, opened_with, soon};
use attache_client::{
    AgentConnection, Decision, Guard, Options, PermissionBroker, PermissionRequest, Permissions,
    Rule, SessionHandle, Verdict,
};
use attache_protocol::v1::ToolKind;
use attache_session::ToolCallContent;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use tokio::sync::{mpsc, oneshot};

struct Gate {
    agent: ScriptedAgent,
    session: SessionHandle,
    _connection: AgentConnection,
    _folder: tempfile::TempDir,
    /// The session's folder, without symbolic links.
    cwd: PathBuf,
}

async fn gate(permissions: impl FnOnce(&std::path::Path) -> Permissions) -> Gate {
    let folder = tempfile::tempdir().unwrap();
    let cwd = folder.path().canonicalize().unwrap();
    let (connection, mut agent) =
        connected_with(Options::default().terminals(), json!({ "protocolVersion": 1 })).await;
    let opening = connection.open(&cwd).permissions(permissions(&cwd));
    let session = opened_with(opening, &mut agent, json!({ "sessionId": "s1" })).await;
    Gate { agent, session, _connection: connection, _folder: folder, cwd }
}

type Asked = mpsc::Receiver<(PermissionRequest, oneshot::Sender<Decision>)>;

/// Permissions that ask the other end of a channel.
fn asking() -> (Permissions, Asked) {
    let (requests, asked) = mpsc::channel(8);
    let permissions = Permissions::ask(move |request| {
        let requests = requests.clone();
        async move {
            let (decide, decided) = oneshot::channel();
            requests.send((request, decide)).await.unwrap();
            decided.await.unwrap_or(Decision::Reject)
        }
    });
    (permissions, asked)
}

async fn asked_gate() -> (Gate, Asked) {
    let (permissions, asked) = asking();
    (gate(|_| permissions).await, asked)
}

impl Gate {
    async fn call(&mut self, id: u64, method: &str, mut params: Value) {
        params["sessionId"] = json!("s1");
        self.agent.call(id, method, params).await;
    }

    async fn begin_write(&mut self, id: u64, name: &str, content: &str) {
        let params = json!({ "path": self.cwd.join(name), "content": content });
        self.call(id, "fs/write_text_file", params).await;
    }

    async fn write(&mut self, name: &str, content: &str) -> Value {
        self.begin_write(2, name, content).await;
        self.agent.answer_to(2).await
    }

    async fn begin_read(&mut self, id: u64, name: &str) {
        let params = json!({ "path": self.cwd.join(name) });
        self.call(id, "fs/read_text_file", params).await;
    }

    async fn read(&mut self, name: &str) -> Value {
        self.begin_read(3, name).await;
        self.agent.answer_to(3).await
    }

    async fn create(&mut self, params: Value) -> Value {
        self.call(4, "terminal/create", params).await;
        self.agent.answer_to(4).await
    }

    /// Asks for permission. The client's answer has the id 1.
    async fn begin_asking(&mut self, mut call: Value) {
        call["toolCallId"] = json!("t");
        let options = ["allow_once", "allow_always", "reject_once"];
        let options: Vec<Value> = options
            .iter()
            .map(|kind| json!({ "optionId": kind, "name": kind, "kind": kind }))
            .collect();
        self.call(1, "session/request_permission", json!({ "toolCall": call, "options": options }))
            .await;
    }

    /// Sends a permission request, which the person answers with this option.
    async fn asks(&mut self, asked: &mut Asked, call: Value, option: &str) {
        self.begin_asking(call).await;
        let (_, decide) = soon(asked.recv()).await.unwrap();
        decide.send(Decision::Choose(option.into())).unwrap();
        assert_eq!(self.agent.answer_to(1).await["result"]["outcome"]["optionId"], option);
    }

    fn text(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.cwd.join(name)).ok()
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.cwd.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn diff(&self, name: &str, old: Option<&str>, new: &str) -> Value {
        let diff =
            json!({ "type": "diff", "path": self.cwd.join(name), "oldText": old, "newText": new });
        json!({ "title": "Edit", "kind": "edit", "content": [diff] })
    }
}

fn is_refused(answer: &Value) -> bool {
    answer["error"]["message"]
        .as_str()
        .is_some_and(|message| message.contains("no person, rule or setting"))
}

/// PERM-02 for files: only files that the session's permissions allow are written, and protected
/// ones only if a person allows it.
#[tokio::test]
async fn files_are_written_only_if_the_permissions_allow_it() {
    let protected =
        [".git/hooks/pre-commit", ".vscode/settings.json", ".envrc", "sub/AGENTS.md", ".ENV"];
    for (permissions, writes) in [
        (Permissions::Reject, false),
        (Permissions::AllowKinds(vec![ToolKind::Read]), false),
        (Permissions::AllowKinds(vec![ToolKind::Edit]), true),
        (Permissions::AllowAll, true),
    ] {
        let mut gate = gate(|_| permissions.clone()).await;
        let answer = gate.write("plain.txt", "x").await;
        assert_eq!(gate.text("plain.txt").is_some(), writes, "{permissions:?}: {answer}");
        assert_eq!(is_refused(&answer), !writes, "{answer}");
        for name in protected {
            let answer = gate.write(name, "x").await;
            assert!(
                is_refused(&answer) && gate.text(name).is_none(),
                "{permissions:?} {name}: {answer}"
            );
        }
    }
}

/// PERM-05 for files: the person sees which file changes and how, before anything is written.
#[tokio::test]
async fn the_person_sees_the_difference_before_a_file_is_written() {
    let (mut gate, mut asked) = asked_gate().await;
    gate.put("a.txt", "old\n");
    gate.begin_write(2, "a.txt", "new\n").await;
    let (request, decide) = soon(asked.recv()).await.unwrap();
    let path = gate.cwd.join("a.txt");
    assert_eq!(
        (request.kind(), request.protected, request.covered),
        (Some(&ToolKind::Edit), None, false)
    );
    assert!(request.title().contains(path.to_str().unwrap()), "{request:?}");
    assert_eq!(request.file.as_ref().unwrap().resolved, path);
    let content = request.asked.content();
    let [ToolCallContent::Diff(diff)] = content else { panic!("{content:?}") };
    assert_eq!((diff.old_text.as_deref(), diff.new_text.as_str()), (Some("old\n"), "new\n"));
    assert_eq!(gate.text("a.txt").as_deref(), Some("old\n"), "it waits for the person");
    decide.send(Decision::Allow).unwrap();
    assert_eq!(gate.agent.answer_to(2).await["result"], json!({}));
    assert_eq!(gate.text("a.txt").as_deref(), Some("new\n"));

    std::os::unix::fs::symlink(".git/hooks", gate.cwd.join("tools")).unwrap();
    fs::create_dir_all(gate.cwd.join(".git/hooks")).unwrap();
    gate.begin_write(2, "tools/pre-push", "rm x").await;
    let (request, decide) = soon(asked.recv()).await.unwrap();
    assert_eq!(request.protected, Some(Guard::Obeyed));
    assert!(request.title().contains(".git/hooks/pre-push"), "where it leads: {}", request.title());
    decide.send(Decision::Reject).unwrap();
    assert!(is_refused(&gate.agent.answer_to(2).await));
}

/// A question does not block other requests, and the person decides about the file as it is on
/// disk.
#[tokio::test]
async fn a_question_blocks_no_other_request_and_a_changed_file_asks_again() {
    let (mut gate, mut asked) = asked_gate().await;
    gate.put("a.txt", "old");
    gate.begin_write(2, "a.txt", "new").await;
    let (_, decide) = soon(asked.recv()).await.unwrap();
    assert_eq!(gate.read("a.txt").await["result"]["content"], "old", "other reads continue");
    gate.put("a.txt", "changed by another program");
    decide.send(Decision::Allow).unwrap();
    let (request, decide) = soon(asked.recv()).await.unwrap();
    let content = request.asked.content();
    assert!(format!("{content:?}").contains("changed by another program"), "{content:?}");
    assert_eq!(gate.text("a.txt").as_deref(), Some("changed by another program"));
    decide.send(Decision::Allow).unwrap();
    assert_eq!(gate.agent.answer_to(2).await["result"], json!({}));
    assert_eq!(gate.text("a.txt").as_deref(), Some("new"));
}

/// CANCEL-05, CANCEL-14 for files: the question is withdrawn and nothing is written.
#[tokio::test]
async fn a_cancel_or_a_dead_agent_withdraws_the_question_about_a_file() {
    let (mut gate, mut asked) = asked_gate().await;
    let turn = gate.session.prompt("go").await.unwrap();
    gate.agent.expect("session/prompt").await;
    gate.begin_write(2, "a.txt", "x").await;
    let (_, mut decide) = soon(asked.recv()).await.unwrap();
    turn.cancel();
    gate.agent.expect("session/cancel").await;
    assert_eq!(gate.agent.answer_to(2).await["error"]["code"], -32800);
    soon(decide.closed()).await;
    assert_eq!(
        gate.write("a.txt", "x").await["error"]["code"],
        -32800,
        "the turn is being cancelled"
    );

    let (mut gate, mut asked) = asked_gate().await;
    gate.begin_write(2, "a.txt", "x").await;
    let (_, mut decide) = soon(asked.recv()).await.unwrap();
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "$/cancel_request", "params": { "requestId": 2 } });
    gate.agent.send(cancel).await;
    assert_eq!(gate.agent.answer_to(2).await["error"]["code"], -32800);
    soon(decide.closed()).await;
    gate.begin_write(2, "a.txt", "x").await;
    let (_, mut decide) = soon(asked.recv()).await.unwrap();
    let Gate { agent, cwd, _folder: folder, .. } = gate;
    drop(agent);
    soon(decide.closed()).await;
    assert!(!cwd.join("a.txt").exists());
    drop(folder);
}

/// The agent's own request, with the diff that was shown, approves exactly that write, once.
#[tokio::test]
async fn an_approved_diff_is_written_without_a_second_question() {
    for (before, old, new, after) in [
        (None, None, "made\n", "made\n"),
        (Some("one\ntwo\n"), Some("one\ntwo\n"), "1\n2\n", "1\n2\n"),
        (Some("one\ntwo\n"), Some("two"), "2", "one\n2\n"),
    ] {
        let (mut gate, mut asked) = asked_gate().await;
        if let Some(before) = before {
            gate.put("a.txt", before);
        }
        let call = gate.diff("a.txt", old, new);
        gate.asks(&mut asked, call, "allow_once").await;
        assert_eq!(gate.write("a.txt", after).await["result"], json!({}), "{before:?} {old:?}");
        assert_eq!(gate.text("a.txt").as_deref(), Some(after));
        // The approval is used up: undoing the write and repeating it need permission again.
        gate.put("a.txt", before.unwrap_or_default());
        gate.begin_write(2, "a.txt", after).await;
        let (_, decide) = soon(asked.recv()).await.unwrap();
        decide.send(Decision::Reject).unwrap();
        assert!(is_refused(&gate.agent.answer_to(2).await));
    }
}

/// Every write needs permission, except the approved change of the approved file.
#[tokio::test]
async fn writes_other_than_the_approved_one_ask() {
    type Meanwhile = fn(&Gate);
    let nothing: Meanwhile = |_| {};
    let cases: [(&str, Value, &str, &str, Meanwhile); 9] = [
        ("another file", json!("edit"), "b.txt", "one\n2\n", nothing),
        ("more than the diff", json!("edit"), "a.txt", "one\n2\nthree\n", nothing),
        ("the diff alone", json!("edit"), "a.txt", "2", nothing),
        ("the file changed", json!("edit"), "a.txt", "one\n2\n", |gate| {
            gate.put("a.txt", "zero\ntwo\n")
        }),
        ("the file is gone", json!("edit"), "a.txt", "one\n2\n", |gate| {
            fs::remove_file(gate.cwd.join("a.txt")).unwrap();
        }),
        ("it leads elsewhere now", json!("edit"), "a.txt", "one\n2\n", |gate| {
            fs::rename(gate.cwd.join("a.txt"), gate.cwd.join("c.txt")).unwrap();
            std::os::unix::fs::symlink("c.txt", gate.cwd.join("a.txt")).unwrap();
        }),
        ("a kind that only reads", json!("read"), "a.txt", "one\n2\n", nothing),
        ("a kind that only runs", json!("execute"), "a.txt", "one\n2\n", nothing),
        ("a kind that only thinks", json!("think"), "a.txt", "one\n2\n", nothing),
    ];
    for (what, kind, name, content, meanwhile) in cases {
        let (mut gate, mut asked) = asked_gate().await;
        gate.put("a.txt", "one\ntwo\n");
        let mut call = gate.diff("a.txt", Some("two"), "2");
        call["kind"] = kind;
        gate.asks(&mut asked, call, "allow_once").await;
        meanwhile(&gate);
        let before = gate.text(name);
        gate.begin_write(2, name, content).await;
        let (_, decide) = soon(asked.recv()).await.unwrap_or_else(|| panic!("{what} asks"));
        decide.send(Decision::Reject).unwrap();
        assert!(is_refused(&gate.agent.answer_to(2).await), "{what}");
        assert_eq!(gate.text(name), before, "{what}");
    }
}

/// Rejected and withdrawn requests, and the end of the turn, leave no approvals behind.
#[tokio::test]
async fn a_rejected_or_unused_approval_allows_nothing() {
    let (mut gate, mut asked) = asked_gate().await;
    let call = gate.diff("a.txt", None, "x");
    gate.asks(&mut asked, call.clone(), "reject_once").await;
    gate.begin_write(2, "a.txt", "x").await;
    soon(asked.recv()).await.unwrap().1.send(Decision::Reject).unwrap();
    assert!(is_refused(&gate.agent.answer_to(2).await), "rejected");

    let turn = gate.session.prompt("go").await.unwrap();
    let prompt = gate.agent.expect("session/prompt").await;
    gate.asks(&mut asked, call, "allow_once").await;
    gate.agent.reply(&prompt, json!({ "stopReason": "end_turn" })).await;
    gate.agent.heard().await;
    drop(turn);
    gate.begin_write(2, "a.txt", "x").await;
    soon(asked.recv()).await.unwrap().1.send(Decision::Reject).unwrap();
    assert!(is_refused(&gate.agent.answer_to(2).await), "of an earlier turn");
}

/// "Always" covers the file that was shown. A protected file needs permission each time.
#[tokio::test]
async fn always_covers_only_later_writes_of_the_shown_file() {
    let (mut gate, mut asked) = asked_gate().await;
    let call = gate.diff("a.txt", None, "1");
    gate.asks(&mut asked, call, "allow_always").await;
    for text in ["1", "2", "3"] {
        assert_eq!(gate.write("a.txt", text).await["result"], json!({}), "{text}");
    }
    let call = gate.diff("AGENTS.md", None, "1");
    gate.asks(&mut asked, call, "allow_always").await;
    assert_eq!(gate.write("AGENTS.md", "1").await["result"], json!({}), "what was shown");
    for (name, text) in [("b.txt", "1"), ("AGENTS.md", "2")] {
        gate.begin_write(2, name, text).await;
        soon(asked.recv()).await.unwrap().1.send(Decision::Reject).unwrap();
        assert!(is_refused(&gate.agent.answer_to(2).await), "{name}");
    }
}

/// Reading secrets needs permission. Reading any other file inside the folders does not.
#[tokio::test]
async fn a_file_that_holds_secrets_is_read_only_by_permission() {
    for permissions in [Permissions::Reject, Permissions::AllowAll] {
        let mut gate = gate(|_| permissions).await;
        gate.put(".env", "KEY=1");
        gate.put("AGENTS.md", "free");
        std::os::unix::fs::symlink(".env", gate.cwd.join("settings")).unwrap();
        for name in [".env", "settings", ".aws/credentials"] {
            assert!(is_refused(&gate.read(name).await), "{name}");
        }
        assert_eq!(gate.read("AGENTS.md").await["result"]["content"], "free");
    }
    let (mut gate, mut asked) = asked_gate().await;
    gate.put(".env", "KEY=1");
    gate.begin_read(3, ".env").await;
    let (request, decide) = soon(asked.recv()).await.unwrap();
    assert_eq!((request.kind(), request.protected), (Some(&ToolKind::Read), Some(Guard::Secret)));
    decide.send(Decision::Allow).unwrap();
    assert_eq!(gate.agent.answer_to(3).await["result"]["content"], "KEY=1");
    // After the agent's own request, one read is allowed.
    let call = json!({ "title": "Read", "kind": "read", "locations": [{ "path": gate.cwd.join(".env") }] });
    gate.asks(&mut asked, call, "allow_once").await;
    assert_eq!(gate.read(".env").await["result"]["content"], "KEY=1");
    gate.begin_read(3, ".env").await;
    soon(asked.recv()).await.unwrap().1.send(Decision::Reject).unwrap();
    assert!(is_refused(&gate.agent.answer_to(3).await));
}

/// A flag does not allow the agent's own request about a protected file either, because that would
/// approve the write.
#[tokio::test]
async fn a_request_about_a_protected_file_is_not_allowed_by_kind() {
    let diff =
        |path: &str| json!({ "content": [{ "type": "diff", "path": path, "newText": "x" }] });
    let location = |path: &str| json!({ "locations": [{ "path": path }] });
    for (kind, call, allowed) in [
        ("edit", diff("plain.txt"), true),
        ("edit", diff(".git/config"), false),
        ("other", diff(".envrc"), false),
        ("read", diff(".envrc"), false),
        ("delete", location(".husky/pre-commit"), false),
        ("read", location(".git/config"), true),
        ("read", location(".env"), false),
        ("execute", location(".git"), true),
    ] {
        let mut gate = gate(|_| Permissions::AllowAll).await;
        let cwd = gate.cwd.to_str().unwrap().to_owned();
        let mut call: Value = serde_json::from_str(
            &call.to_string().replace("\"path\":\"", &format!("\"path\":\"{cwd}/")),
        )
        .unwrap();
        (call["title"], call["kind"]) = (json!("x"), json!(kind));
        gate.begin_asking(call.clone()).await;
        let chosen = gate.agent.answer_to(1).await["result"]["outcome"]["optionId"].clone();
        assert_eq!(chosen == "allow_once", allowed, "{call}");
    }
}

/// A command that the agent asked permission for runs once without a second question. Other
/// commands need permission.
#[tokio::test]
async fn an_approved_command_runs_without_a_second_question() {
    let line = json!({ "command": "printf 'a b'" });
    let same = [
        (line.clone(), json!({ "command": "printf", "args": ["a b"] })),
        (line.clone(), json!({ "command": "printf 'a b'" })),
        (line.clone(), json!({ "command": "sh", "args": ["-c", "printf 'a b'"] })),
        (line.clone(), json!({ "command": "/bin/bash", "args": ["-lc", "printf 'a b'"] })),
        (
            line.clone(),
            json!({ "command": "printf", "args": ["a b"], "env": [{ "name": "NO_COLOR", "value": "1" }] }),
        ),
        (json!({ "command": ["printf", "a b"] }), json!({ "command": "printf", "args": ["a b"] })),
        (json!({ "command": ["printf", "a b"] }), json!({ "command": "printf 'a b'" })),
        (
            json!({ "command": ["bash", "-c", "printf x; printf y"] }),
            json!({ "command": "bash", "args": ["-c", "printf x; printf y"] }),
        ),
        (
            json!({ "command": "env", "env": { "A": "1" } }),
            json!({ "command": "env", "env": [{ "name": "A", "value": "1" }] }),
        ),
    ];
    for (input, params) in same {
        let (mut gate, mut asked) = asked_gate().await;
        let call = json!({ "title": "Run", "kind": "execute", "rawInput": input });
        gate.asks(&mut asked, call, "allow_once").await;
        assert!(
            gate.create(params.clone()).await["result"]["terminalId"].is_string(),
            "{input} {params}"
        );
        gate.call(4, "terminal/create", params).await;
        soon(asked.recv()).await.unwrap().1.send(Decision::Reject).unwrap();
        assert!(gate.agent.answer_to(4).await["error"].is_object(), "it is used up");
    }
    let other = [
        (line.clone(), json!({ "command": "printf", "args": ["a", "b"] })),
        (line.clone(), json!({ "command": "printf 'a b'; printf c" })),
        (line.clone(), json!({ "command": "./sh", "args": ["-c", "printf 'a b'"] })),
        (line.clone(), json!({ "command": "sh", "args": ["-c", "printf 'a b'", "x"] })),
        (line.clone(), json!({ "command": "printf", "args": ["a b"], "cwd": "sub" })),
        (
            line.clone(),
            json!({ "command": "printf", "args": ["a b"], "env": [{ "name": "PATH", "value": "/x" }] }),
        ),
        (json!({ "command": ["printf", "a b"] }), json!({ "command": "printf a b" })),
        (json!({ "command": ["printf", "$HOME"] }), json!({ "command": "printf $HOME" })),
        (json!({ "command": "ls *" }), json!({ "command": "ls", "args": ["*"] })),
        (json!({ "command": "A=1 env" }), json!({ "command": "A=1", "args": ["env"] })),
        (json!({ "command": "env", "env": { "A": "1" } }), json!({ "command": "env" })),
        (json!({ "command": "env", "cwd": "sub" }), json!({ "command": "env" })),
    ];
    for (input, mut params) in other {
        let (mut gate, mut asked) = asked_gate().await;
        fs::create_dir(gate.cwd.join("sub")).unwrap();
        if params["cwd"] == "sub" {
            params["cwd"] = json!(gate.cwd.join("sub"));
        }
        let call = json!({ "title": "Run", "kind": "execute", "rawInput": input });
        gate.asks(&mut asked, call, "allow_once").await;
        gate.call(4, "terminal/create", params.clone()).await;
        let (_, decide) =
            soon(asked.recv()).await.unwrap_or_else(|| panic!("{input} {params} asks"));
        decide.send(Decision::Reject).unwrap();
        assert!(is_refused(&gate.agent.answer_to(4).await), "{input} {params}");
    }
}

/// Rules decide about writes in the same way as about requests. Denying rules come first. The log
/// names the file.
#[tokio::test]
async fn rules_decide_about_writes_and_the_log_names_the_file() {
    let broker = PermissionBroker::in_memory();
    let held = broker.clone();
    let mut gate = gate(|cwd| {
        let rule = |line: &str, path: &str| {
            let line = line.replace("PATH", cwd.join(path).to_str().unwrap());
            held.remember(Rule::from_line(&line).unwrap()).unwrap();
        };
        rule(r#"allow kind="edit""#, "");
        rule(r#"reject kind="edit" path="PATH""#, "closed");
        rule(r#"reject path="PATH""#, "real");
        rule(r#"allow kind="edit" path="PATH""#, "AGENTS.md");
        held.permissions("probe", cwd, Permissions::Reject)
    })
    .await;
    gate.put("real/x", "");
    std::os::unix::fs::symlink("real", gate.cwd.join("link")).unwrap();
    for (name, writes) in [
        ("open.txt", true),
        ("closed/a.txt", false),
        ("link/b.txt", false),
        ("AGENTS.md", true),
        ("sub/AGENTS.md", false),
        (".env", false),
    ] {
        let answer = gate.write(name, "x").await;
        assert_eq!(answer["error"].is_null(), writes, "{name}: {answer}");
        let audited = broker.audit().pop().unwrap();
        assert_eq!(audited.verdict == Verdict::Allowed, writes, "{name}");
        assert!(
            audited
                .effect
                .paths
                .iter()
                .any(|path| path.ends_with(name) || name.starts_with("link")),
            "{audited:?}"
        );
        let line: Value = serde_json::from_str(&audited.to_string()).unwrap();
        assert_eq!(line["effect"]["paths"][0], audited.effect.paths[0]);
    }
}

/// A denying rule overrides "always". The log contains covered actions.
#[tokio::test]
async fn always_allowed_actions_are_logged_and_a_denying_rule_overrides_them() {
    let broker = PermissionBroker::in_memory();
    let held = broker.clone();
    let (person, mut asked) = asking();
    let mut gate = gate(|cwd| held.permissions("probe", cwd, person)).await;
    let call = gate.diff("a.txt", None, "1");
    gate.asks(&mut asked, call, "allow_always").await;
    assert_eq!(gate.write("a.txt", "1").await["result"], json!({}));
    assert_eq!(gate.write("a.txt", "2").await["result"], json!({}));
    assert_eq!(broker.audit().len(), 2, "the request, and the write that it did not show");
    broker.remember(Rule::from_line(r#"reject kind="edit""#).unwrap()).unwrap();
    assert!(is_refused(&gate.write("a.txt", "3").await));
}

/// A denying rule stops a read of a plain file under any of its names, and the log names the file.
/// Every other read needs no permission.
#[tokio::test]
async fn a_denying_rule_stops_a_read_of_a_plain_file() {
    let broker = PermissionBroker::in_memory();
    let held = broker.clone();
    let (person, mut asked) = asking();
    let mut gate = gate(|cwd| {
        let rule = format!("reject path={:?}", cwd.join("priv"));
        held.remember(Rule::from_line(&rule).unwrap()).unwrap();
        held.permissions("probe", cwd, person)
    })
    .await;
    gate.put("priv/a", "closed");
    gate.put("open", "free");
    for (link, to) in [("link", "priv/a"), ("folder", "priv"), ("priv/out", "../open")] {
        std::os::unix::fs::symlink(to, gate.cwd.join(link)).unwrap();
    }
    assert_eq!(gate.read("open").await["result"]["content"], "free");
    assert!(broker.audit().is_empty(), "a read without a question is not a decision");
    for name in ["priv/a", "./priv/../priv/a", "link", "folder/a", "priv/out", "priv/none"] {
        let before = broker.audit().len();
        assert!(is_refused(&gate.read(name).await), "{name}");
        let audit = broker.audit();
        assert_eq!(audit.len(), before + 1, "{name}");
        let last = audit.last().unwrap();
        assert_eq!(
            (last.verdict, last.kind.as_ref()),
            (Verdict::Rejected, Some(&ToolKind::Read)),
            "{name}"
        );
    }
    broker.remember(Rule::from_line(r#"reject kind="read""#).unwrap()).unwrap();
    assert!(is_refused(&gate.read("open").await));
    assert!(asked.try_recv().is_err(), "there is no question");
}

/// A command that may change a protected file or read a secret, judging by its words, needs a
/// person, whatever kinds are allowed.
#[tokio::test]
async fn a_command_that_names_a_protected_file_needs_a_person() {
    let run = |command: &str, args: &[&str]| json!({ "command": command, "args": args });
    let cases = [
        (run("sh", &["-c", "echo x > .envrc"]), "echo x > .envrc", false),
        (
            run("echo hi | tee .git/hooks/pre-commit", &[]),
            "echo hi | tee .git/hooks/pre-commit",
            false,
        ),
        (run("cat", &[".env"]), "cat .env", false),
        (run("cp", &["plain", "link/pre-push"]), "cp plain link/pre-push", false),
        (run("cat", &["AGENTS.md"]), "cat AGENTS.md", true),
        (run("ls", &[".git"]), "ls .git", true),
        (run("cat plain", &[]), "cat plain", true),
    ];
    for (params, line, allowed) in cases {
        for permissions in [Permissions::AllowAll, Permissions::AllowKinds(vec![ToolKind::Execute])]
        {
            let mut gate = gate(|_| permissions).await;
            for name in [".env", "plain", ".git/hooks/x", "AGENTS.md"] {
                gate.put(name, "x");
            }
            std::os::unix::fs::symlink(".git/hooks", gate.cwd.join("link")).unwrap();
            let answer = gate.create(params.clone()).await;
            assert_eq!(answer["error"].is_null(), allowed, "{params}: {answer}");
            assert_eq!(is_refused(&answer), !allowed, "{params}: {answer}");
            for call in [
                json!({ "title": "Run", "rawInput": { "command": line } }),
                json!({ "title": line }),
            ] {
                let mut call = call;
                call["kind"] = json!("execute");
                gate.begin_asking(call.clone()).await;
                let chosen = gate.agent.answer_to(1).await["result"]["outcome"]["optionId"].clone();
                assert_eq!(chosen == "allow_once", allowed, "{call}");
            }
        }
    }
    let (mut gate, mut asked) = asked_gate().await;
    gate.put(".env", "x");
    gate.call(4, "terminal/create", run("cat", &[".env"])).await;
    let (request, decide) = soon(asked.recv()).await.unwrap();
    assert_eq!(request.protected, Some(Guard::Secret));
    decide.send(Decision::Allow).unwrap();
    assert!(
        gate.agent.answer_to(4).await["result"]["terminalId"].is_string(),
        "the person allows it"
    );
}

/// A rule for the kind or for the program does not allow a command that names a protected file. A
/// rule with the whole line does.
#[tokio::test]
async fn only_a_rule_with_the_whole_line_allows_a_command_that_names_a_protected_file() {
    for (rule, allowed) in [
        (r#"allow kind="execute""#, false),
        (r#"allow command="cat""#, false),
        (r#"allow command="cat .env""#, true),
    ] {
        let broker = PermissionBroker::in_memory();
        broker.remember(Rule::from_line(rule).unwrap()).unwrap();
        let mut gate = gate(|cwd| broker.permissions("probe", cwd, Permissions::AllowAll)).await;
        gate.put(".env", "x");
        let answer = gate.create(json!({ "command": "cat", "args": [".env"] })).await;
        assert_eq!(answer["error"].is_null(), allowed, "{rule}: {answer}");
    }
}

/// A hard link to a protected file is protected too.
#[tokio::test]
async fn a_hard_link_to_a_protected_file_needs_a_person() {
    let mut gate = gate(|_| Permissions::AllowAll).await;
    for name in ["sub/.env", ".git/hooks/pre-commit", "plain"] {
        gate.put(name, "before");
    }
    for (name, link) in
        [("sub/.env", "secret"), (".git/hooks/pre-commit", "hook"), ("plain", "other")]
    {
        fs::hard_link(gate.cwd.join(name), gate.cwd.join(link)).unwrap();
    }
    for (link, reads, writes) in
        [("secret", false, false), ("hook", true, false), ("other", true, true)]
    {
        assert_eq!(is_refused(&gate.read(link).await), !reads, "{link}");
        assert_eq!(is_refused(&gate.write(link, "after").await), !writes, "{link}");
        assert_eq!(gate.text(link).as_deref() == Some("after"), writes, "{link}");
    }
}

/// If a flag chooses the agent's only option, and that option allows always, the flag still allows
/// only this one action.
#[tokio::test]
async fn only_a_person_allows_always() {
    let broker = PermissionBroker::in_memory();
    let covered = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let held = covered.clone();
    let flag = Permissions::Ask(std::sync::Arc::new(move |request| {
        held.fetch_or(request.covered, std::sync::atomic::Ordering::SeqCst);
        Box::pin(std::future::ready(Decision::Allow))
    }));
    let mut gate = gate(|cwd| broker.permissions("probe", cwd, flag)).await;
    let mut call = gate.diff("a.txt", None, "1");
    call["toolCallId"] = json!("t");
    let options = [json!({ "optionId": "a", "name": "a", "kind": "allow_always" })];
    gate.call(1, "session/request_permission", json!({ "toolCall": call, "options": options }))
        .await;
    assert_eq!(gate.agent.answer_to(1).await["result"]["outcome"]["optionId"], "a");
    for text in ["1", "2"] {
        assert_eq!(gate.write("a.txt", text).await["result"], json!({}), "{text}");
    }
    assert!(
        !covered.load(std::sync::atomic::Ordering::SeqCst),
        "the flag decides about the second write"
    );
}
