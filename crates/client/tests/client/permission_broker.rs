//! The rules about permissions (PERM), with remembered decisions.

use crate::scripted_agent::{ScriptedAgent, connected, connected_with, opened_with, soon};
use attache_client::{
    Audited, BrokerError, CallPattern, DecidedBy, Decision, Effect, Options, PermissionBroker,
    Permissions, Rule, RuleScope, Subject, Verdict,
};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An agent with an open session `s1`, and the values that must outlive it.
async fn ready(broker: &PermissionBroker, rest: Permissions) -> (ScriptedAgent, impl Sized) {
    let folder = tempfile::tempdir().unwrap();
    let (connection, mut agent) = connected(json!({})).await;
    let permissions = broker.permissions("probe", folder.path(), rest);
    let session = opened_with(
        connection.open(folder.path()).permissions(permissions),
        &mut agent,
        json!({ "sessionId": "s1" }),
    )
    .await;
    (agent, (connection, session, folder))
}

async fn ask(agent: &mut ScriptedAgent, tool_call: Value, kinds: &[&str]) -> Value {
    let options: Vec<Value> =
        kinds.iter().map(|kind| json!({ "optionId": kind, "name": kind, "kind": kind })).collect();
    let params = json!({ "sessionId": "s1", "toolCall": tool_call, "options": options });
    agent.call(1, "session/request_permission", params).await;
    agent.answer_to(1).await["result"]["outcome"].clone()
}

const ALL: &[&str] = &["allow_always", "allow_once", "reject_always", "reject_once"];

fn command(line: &str) -> Value {
    json!({ "toolCallId": "t", "title": "Shell", "kind": "execute", "rawInput": { "command": line } })
}

fn rule(line: &str) -> Rule {
    Rule::from_line(line).unwrap()
}

fn selected(option: &str) -> Value {
    json!({ "outcome": "selected", "optionId": option })
}

/// PERM-03, PERM-05, PERM-11: rules decide with the agent's own options, denials before approvals,
/// without a question.
#[tokio::test]
async fn rules_decide_before_the_person() {
    let broker = PermissionBroker::in_memory();
    broker.remember(rule(r#"allow command="git""#)).unwrap();
    broker.remember(rule(r#"reject command="git push""#)).unwrap();
    let rest = Permissions::ask(|request| async move { panic!("asked about {request:?}") });
    let (mut agent, _held) = ready(&broker, rest).await;
    assert_eq!(ask(&mut agent, command("git log"), ALL).await, selected("allow_once"));
    assert_eq!(ask(&mut agent, command("git push -f"), ALL).await, selected("reject_once"));
    // An allowed call is not answered with an option that rejects, and a denied call not with one
    // that allows.
    assert_eq!(
        ask(&mut agent, command("git log"), &["reject_once"]).await,
        selected("reject_once")
    );
    let cancelled = json!({ "outcome": "cancelled" });
    assert_eq!(ask(&mut agent, command("git push"), &["allow_once"]).await, cancelled, "PERM-13");
    let verdicts: Vec<Verdict> = broker.audit().iter().map(|audited| audited.verdict).collect();
    assert_eq!(
        verdicts,
        [Verdict::Allowed, Verdict::Rejected, Verdict::Rejected, Verdict::Rejected]
    );
}

/// PERM-07 for clients: an answer is remembered for its session, and only for that session.
#[tokio::test]
async fn an_answer_for_a_session_is_not_asked_again_in_it() {
    let broker = PermissionBroker::in_memory();
    let (times, remembering) = (Arc::new(AtomicUsize::new(0)), broker.clone());
    let counted = times.clone();
    let rest = Permissions::ask(move |request| {
        counted.fetch_add(1, Ordering::Relaxed);
        let scope = RuleScope::Session(request.session_id.clone());
        let call = request.asked_call("probe", "/".as_ref());
        remembering.remember(call.narrowest_rule(Effect::Allow, scope).unwrap()).unwrap();
        async { Decision::Allow }
    });
    let (mut agent, _held) = ready(&broker, rest).await;
    for line in ["make", "make", "make all"] {
        assert_eq!(ask(&mut agent, command(line), ALL).await, selected("allow_once"));
    }
    assert_eq!(times.load(Ordering::Relaxed), 1);
    ask(&mut agent, command("make; rm x"), ALL).await;
    assert_eq!(times.load(Ordering::Relaxed), 2, "a shell would run more than this command");
}

/// CANCEL-05, PERM-06: a question that was withdrawn is logged as such.
#[tokio::test]
async fn every_decision_is_in_the_log() {
    let broker = PermissionBroker::in_memory();
    broker.remember(rule(r#"allow kind="read""#)).unwrap();
    let rest = Permissions::ask(|request| async move {
        match request.kind() {
            Some(kind) if kind.as_str() == "edit" => Decision::Reject,
            _ => std::future::pending().await,
        }
    });
    let (mut agent, _held) = ready(&broker, rest).await;
    ask(&mut agent, json!({ "toolCallId": "a", "title": "Read\nit", "kind": "read" }), ALL).await;
    ask(&mut agent, json!({ "toolCallId": "b", "title": "Edit", "kind": "edit" }), ALL).await;
    let params = json!({ "sessionId": "s1", "toolCall": { "toolCallId": "c", "title": "Run" }, "options": [] });
    agent.call(7, "session/request_permission", params).await;
    agent
        .send(
            json!({ "jsonrpc": "2.0", "method": "$/cancel_request", "params": { "requestId": 7 } }),
        )
        .await;
    agent.answer_to(7).await;
    let audit = soon(async {
        loop {
            match broker.audit() {
                audit if audit.len() == 3 => return audit,
                _ => tokio::task::yield_now().await,
            }
        }
    })
    .await;
    let of = |audited: &Audited| (audited.title.clone(), audited.verdict, audited.by.clone());
    assert_eq!(
        audit.iter().map(of).collect::<Vec<_>>(),
        [
            (
                "Read\nit".to_owned(),
                Verdict::Allowed,
                DecidedBy::Rule(rule(r#"allow kind="read""#))
            ),
            ("Edit".to_owned(), Verdict::Rejected, DecidedBy::Asked),
            ("Run".to_owned(), Verdict::Withdrawn, DecidedBy::Asked),
        ]
    );
    let mut line: Value = serde_json::from_str(&audit[0].to_string()).unwrap();
    assert!(line["at"].take().as_str().unwrap().ends_with('Z'));
    let told = json!({ "at": null, "verdict": "allowed", "by": "rule", "rule": "allow kind=\"read\"", "agent": "probe", "sessionId": "s1", "kind": "read", "title": "Read\nit" });
    assert_eq!(line, told);
}

/// The same rules decide about commands in terminals. They do not approve variables that may change
/// a command's effect.
#[tokio::test]
async fn a_rule_allows_commands_in_terminals_but_not_in_another_environment() {
    let broker = PermissionBroker::in_memory();
    broker.remember(rule(r#"allow command="printf x""#)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let options = Options::default().terminals();
    let (connection, mut agent) = connected_with(options, json!({ "protocolVersion": 1 })).await;
    let permissions = broker.permissions("probe", folder.path(), Permissions::Reject);
    let opening = connection.open(folder.path()).permissions(permissions);
    let _session = opened_with(opening, &mut agent, json!({ "sessionId": "s1" })).await;
    let variable = |name: &str| json!([{ "name": name, "value": "x" }]);
    for (args, env, runs) in [
        (json!(["x", "y"]), variable("NO_COLOR"), true),
        (json!(["x"]), variable("LD_AUDIT"), false),
        (json!(["y"]), json!([]), false),
    ] {
        let params = json!({ "sessionId": "s1", "command": "printf", "args": args, "env": env });
        agent.call(1, "terminal/create", params).await;
        let answer = agent.answer_to(1).await;
        assert_eq!(answer["result"]["terminalId"].is_string(), runs, "{args} {env}: {answer}");
    }
}

#[tokio::test]
async fn the_log_is_bounded() {
    let broker = PermissionBroker::in_memory();
    let (mut agent, _held) = ready(&broker, Permissions::Reject).await;
    for number in 0..1001 {
        ask(&mut agent, json!({ "toolCallId": "t", "title": format!("{number}") }), ALL).await;
    }
    let audit = broker.audit();
    assert_eq!(
        (audit.len(), audit[0].title.as_str(), &audit[0].by),
        (1000, "1", &DecidedBy::Setting)
    );
}

#[test]
fn rules_for_longer_than_a_session_are_in_a_file_that_a_person_can_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("new/permissions.toml");
    let broker = PermissionBroker::open(&file).unwrap();
    assert!(broker.rules().is_empty() && !file.exists());
    let always = rule(r#"allow agent="probe" command="cargo test""#);
    let project = rule(r#"reject project="/home/app" path="/home/app/secret""#);
    let session = Rule { scope: RuleScope::Session("s1".into()), ..always.clone() };
    for rule in [&always, &project, &session, &always] {
        broker.remember(rule.clone()).unwrap();
    }
    let text = std::fs::read_to_string(&file).unwrap();
    for table in [
        "\n[[allow]]\nagents = [\"probe\"]\ncall = { command = \"cargo test\" }\n",
        "\n[[deny]]\nagents = \"all\"\ncall = { path = \"/home/app/secret\" }\nproject = \"/home/app\"\n",
    ] {
        assert!(text.contains(table), "{text}");
    }
    let read = PermissionBroker::open(&file).unwrap().rules();
    assert!(read.len() == 2 && read[0].is_same(&always) && read[1].is_same(&project), "{read:?}");

    let everything = Rule::new(Effect::Allow, Subject::Call(CallPattern::default()));
    assert!(matches!(broker.remember(everything), Err(BrokerError::Rules(_))));
    let text = "version = 2\n# a remark\n[[deny]]\nagents = \"all\"\ncomand = \"rm\"\n";
    std::fs::write(&file, text).unwrap();
    let error = PermissionBroker::open(&file).unwrap_err().to_string();
    assert!(error.contains("permissions.toml, line 3") && error.contains("comand"), "{error}");
}

#[test]
fn forgetting_a_rule_keeps_the_rest_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let (file, old) = (folder.path().join("permissions.toml"), folder.path().join("old"));
    let text = "# mine\nreject  command=\"rm\"\n\n allow kind=\"read\"\nallow command=\"ls\"";
    std::fs::write(&old, text).unwrap();
    let open = || {
        let broker = PermissionBroker::in_memory().and_old_rules_of(&old, &file).unwrap();
        broker.and_rules_of(&file).unwrap()
    };
    let broker = open();
    assert_eq!(broker.rules().len(), 3);
    broker.forget(&rule(r#"allow kind="read""#)).unwrap();
    let left = std::fs::read_to_string(&file).unwrap();
    assert!(!left.contains("read") && left.contains("# mine\n[[deny]]"), "{left}");
    broker.remember(rule(r#"allow kind="fetch""#)).unwrap();
    let table = "\n[[allow]]\nagents = \"all\"\ncall = { kind = \"fetch\" }\n";
    assert_eq!(std::fs::read_to_string(&file).unwrap(), format!("{left}{table}"));
    assert_eq!(open().rules(), broker.rules());
    let mut names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["old.v1", "permissions.toml"], "nothing else is left");
}

/// The rules of a project ask and deny for every agent, and allow nothing.
#[tokio::test]
async fn a_project_restricts_every_agent() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join(".attache")).unwrap();
    let write = |rules: &str| {
        std::fs::write(folder.path().join(".attache/permissions.toml"), rules).unwrap();
    };
    write(
        "[[allow]]\ntool = \"execute\"\nunsandboxed = true\n\n[[deny]]\ncommand = \"git push\"\n\n\
         [[ask]]\ncommand = \"make\"\n",
    );
    let decided = |broker: &PermissionBroker| {
        let (connection, permissions) =
            (connected(json!({})), broker.permissions("probe", folder.path(), Permissions::Reject));
        let folder = folder.path().to_owned();
        async move {
            let (connection, mut agent) = connection.await;
            let opening = connection.open(folder).permissions(permissions);
            let _session = opened_with(opening, &mut agent, json!({ "sessionId": "s1" })).await;
            for line in ["git push", "make", "ls"] {
                ask(&mut agent, command(line), ALL).await;
            }
        }
    };
    let broker = PermissionBroker::in_memory();
    for line in [r#"allow command="git""#, r#"allow command="make""#, r#"allow command="ls""#] {
        broker.remember(rule(line)).unwrap();
    }
    decided(&broker).await;
    let by = |audited: Audited| (audited.verdict, matches!(audited.by, DecidedBy::Rule(_)));
    let audit: Vec<_> = broker.audit().into_iter().map(by).collect();
    let expected =
        [(Verdict::Rejected, true), (Verdict::Rejected, false), (Verdict::Allowed, true)];
    assert_eq!(audit, expected);

    write("[[deny]]\ncomand = \"rm\"\n");
    let broker = PermissionBroker::in_memory();
    broker.remember(rule(r#"allow command="ls""#)).unwrap();
    decided(&broker).await;
    let audit: Vec<_> = broker.audit().into_iter().map(by).collect();
    assert_eq!(audit, [(Verdict::Rejected, false); 3], "the project's denials are unknown");
    assert!(broker.project_faults(folder.path())[0].to_string().contains("comand"));
}

/// The agent gets a rule's decision after the front end has shown it. The log file has a bounded
/// size and contains no secrets.
#[tokio::test]
async fn decisions_by_rules_are_shown_first_and_logged_within_bounds() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("new/log");
    let broker = PermissionBroker::in_memory().log_to(&log);
    broker.remember(rule(r#"allow command="deploy --token""#)).unwrap();
    let (sender, mut told) =
        tokio::sync::mpsc::channel::<(Rule, tokio::sync::oneshot::Sender<()>)>(1);
    let tell = move |_, rule| {
        let (shown, seen) = tokio::sync::oneshot::channel();
        let sender = sender.clone();
        async move {
            sender.send((rule, shown)).await.unwrap();
            seen.await.unwrap();
        }
    };
    let (connection, mut agent) = connected(json!({})).await;
    let permissions = broker.permissions_telling("probe", folder.path(), Permissions::Reject, tell);
    let opening = connection.open(folder.path()).permissions(permissions);
    let _session = opened_with(opening, &mut agent, json!({ "sessionId": "s1" })).await;
    let call = json!({ "toolCallId": "t", "title": "deploy --token abc123", "rawInput": { "command": "deploy --token abc123" } });
    let options = json!([{ "optionId": "y", "name": "Yes", "kind": "allow_once" }]);
    let params = json!({ "sessionId": "s1", "toolCall": call, "options": options });
    agent.call(1, "session/request_permission", params).await;
    let (rule, shown) = soon(told.recv()).await.unwrap();
    assert!(broker.audit().is_empty());
    assert_eq!(rule.to_line(), r#"allow command="deploy --token""#);
    shown.send(()).unwrap();
    assert_eq!(agent.answer_to(1).await["result"]["outcome"], selected("y"));

    let text = std::fs::read_to_string(&log).unwrap();
    assert!(text.contains(r#""title":"deploy --token …""#) && !text.contains("abc123"), "{text}");
    std::fs::write(&log, vec![b'x'; 1 << 20]).unwrap();
    ask(&mut agent, command("ls"), ALL).await;
    let [older, newer] =
        PermissionBroker::log_files(&log).map(|file| std::fs::metadata(file).unwrap().len());
    assert!(older == 1 << 20 && newer < 1000, "{older} {newer}");
    assert!(broker.take_log_trouble().is_none());
}

/// A program that never releases its lock, or a log that is a pipe, does not block decisions or the
/// session.
#[tokio::test]
async fn a_stuck_lock_or_log_blocks_no_session() {
    let folder = tempfile::tempdir().unwrap();
    let (log, file) = (folder.path().join("log"), folder.path().join("rules"));
    std::fs::write(&log, vec![b'x'; 1 << 20]).unwrap();
    let lock = std::fs::File::open(folder.path()).unwrap();
    lock.lock().unwrap();
    let broker = PermissionBroker::open(&file).unwrap().log_to(&log);
    let (mut agent, _held) = ready(&broker, Permissions::AllowAll).await;
    // Meanwhile another task remembers a rule, and waits for the lock of the rules.
    let remembering = broker.clone();
    let remembered = tokio::task::spawn_blocking(move || {
        remembering.remember(rule(r#"allow command="ls""#)).unwrap_err()
    });
    for _ in 0..3 {
        assert_eq!(ask(&mut agent, command("ls"), ALL).await, selected("allow_once"));
    }
    agent.heard().await;
    assert!(matches!(remembered.await.unwrap(), BrokerError::Rules(_)));
    let trouble = broker.take_log_trouble().unwrap().to_string();
    assert!(trouble.contains("another program"), "{trouble}");
    let text = std::fs::read_to_string(&log).unwrap();
    assert_eq!(text.matches("\"allowed\"").count(), 3, "nothing is lost");

    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let broker = PermissionBroker::in_memory().log_to(&pipe);
    let (mut agent, _held) = ready(&broker, Permissions::AllowAll).await;
    assert_eq!(ask(&mut agent, command("ls"), ALL).await, selected("allow_once"));
    assert!(broker.take_log_trouble().unwrap().to_string().contains("regular file"));
    assert!(matches!(PermissionBroker::open(&pipe), Err(BrokerError::Rules(_))));
}
