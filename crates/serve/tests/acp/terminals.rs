//! Terminals of the editor that created a session.

use crate::client::Client;
use crate::scripted_agent::ScriptedAgent;
use crate::shared::{Shared, hello};
use attache_client::{HubOptions, Options, Permissions};
use attache_serve::{DeviceId, Place, Scope};
use serde_json::{Value, json};
use std::pin::pin;
use std::time::Duration;

fn terminals() -> Value {
    json!({ "terminal": true })
}

fn options() -> HubOptions {
    HubOptions::default().client(Options::default().terminals())
}

/// A hub that asks nothing.
fn allowing() -> Shared {
    Shared::with(options().decide_first(|_, _, _| Permissions::AllowAll))
}

fn build(shared: &Shared) -> Value {
    json!({
        "sessionId": "s1", "command": "build", "args": ["a-b"],
        "env": [{ "name": "LEVEL", "value": "2" }], "cwd": shared.cwd(),
    })
}

/// Lets the agent run a command in the terminal `mine` of the editor. Returns the agent's id of the
/// terminal, and the hub's question for the end of the command.
async fn begun(shared: &Shared, editor: &mut Client, agent: &mut ScriptedAgent) -> (String, Value) {
    agent.call(7, "terminal/create", build(shared)).await;
    let asked = editor.asked("terminal/create").await;
    editor.answer(&asked, json!({ "terminalId": "mine" })).await;
    let id = agent.answer_to(7).await["result"]["terminalId"].as_str().unwrap().to_owned();
    (id, editor.asked("terminal/wait_for_exit").await)
}

/// Waits, while the editor says that this is the output of its terminal.
async fn with_output<T>(editor: &mut Client, output: &str, wait: impl Future<Output = T>) -> T {
    let mut wait = pin!(wait);
    loop {
        tokio::select! {
            done = &mut wait => return done,
            asked = editor.asked("terminal/output") => {
                assert_eq!(asked["params"]["terminalId"], "mine");
                let answer = json!({ "output": output, "truncated": false });
                editor.answer(&asked, answer).await;
            }
        }
    }
}

async fn call(agent: &mut ScriptedAgent, id: u64, method: &str, terminal: &str) {
    let params = json!({ "sessionId": "s1", "terminalId": terminal });
    agent.call(id, &format!("terminal/{method}"), params).await;
}

/// The agent shows the terminal in a tool call.
async fn show(agent: &mut ScriptedAgent, terminal: &str) {
    let content = json!([{ "type": "terminal", "terminalId": terminal }]);
    let update = json!({
        "sessionUpdate": "tool_call", "toolCallId": "c", "title": "Build", "content": content,
    });
    agent.update("s1", update).await;
}

/// Waits until the client was sent a tool call with this text.
async fn shown(client: &mut Client, text: &str) {
    let is_wanted =
        |message: &Value| message["params"]["update"]["content"][0]["content"]["text"] == text;
    client.find(is_wanted).await;
}

#[tokio::test]
async fn a_command_runs_in_the_editor_that_created_the_session() {
    let mut shared = allowing();
    let mut editor = shared.local(terminals()).await;
    let mut agent = shared.opened(&mut editor).await;
    let mut other = shared.local(terminals()).await;
    let params = shared.of("a/s1");
    other.call("session/load", params).await;
    agent.call(7, "terminal/create", build(&shared)).await;
    let asked = editor.asked("terminal/create").await;
    let expected = json!({
        "sessionId": "a/s1", "command": "build", "args": ["a-b"],
        "env": [{ "name": "LEVEL", "value": "2" }], "cwd": shared.cwd(),
        "outputByteLimit": 1 << 20,
    });
    assert_eq!(asked["params"], expected);
    editor.answer(&asked, json!({ "terminalId": "mine" })).await;
    let reply = agent.answer_to(7).await;
    let id = reply["result"]["terminalId"].as_str().unwrap();
    let ending = editor.asked("terminal/wait_for_exit").await;
    assert_eq!(ending["params"], json!({ "sessionId": "a/s1", "terminalId": "mine" }));
    // The editor shows its own terminal, and others see the output as it grows.
    show(&mut agent, id).await;
    let own = json!([{ "type": "terminal", "terminalId": "mine" }]);
    assert_eq!(editor.update("tool_call").await["content"], own);
    with_output(&mut editor, "one\n", shown(&mut other, "```\none\n```")).await;
    with_output(&mut editor, "one\n表\n", shown(&mut other, "```\none\n表\n```")).await;
    call(&mut agent, 8, "output", id).await;
    let output = with_output(&mut editor, "one\n表\n!", agent.answer_to(8)).await;
    assert_eq!(output["result"], json!({ "output": "one\n表\n!", "truncated": false }));
    // The end comes with all output.
    call(&mut agent, 9, "wait_for_exit", id).await;
    editor.answer(&ending, json!({ "exitCode": 3 })).await;
    let ended = with_output(&mut editor, "whole", agent.answer_to(9)).await;
    assert_eq!(ended["result"], json!({ "exitCode": 3 }));
    shown(&mut other, "```\nwhole\n```").await;
    call(&mut agent, 10, "output", id).await;
    let output = agent.answer_to(10).await;
    let expected = json!({
        "output": "whole", "truncated": false, "exitStatus": { "exitCode": 3 },
    });
    assert_eq!(output["result"], expected);
    call(&mut agent, 11, "release", id).await;
    let released = editor.asked("terminal/release").await;
    assert_eq!(released["params"]["terminalId"], "mine");
    editor.answer(&released, json!({})).await;
    assert!(agent.answer_to(11).await.get("error").is_none());
    call(&mut agent, 12, "output", id).await;
    assert!(agent.answer_to(12).await["error"].is_object(), "the id is no longer valid");
    other.settle().await;
    assert!(!other.has_seen("terminal/create"));
}

#[tokio::test]
async fn a_kill_reaches_the_editor() {
    let mut shared = allowing();
    let mut editor = shared.local(terminals()).await;
    let mut agent = shared.opened(&mut editor).await;
    let (id, ending) = begun(&shared, &mut editor, &mut agent).await;
    call(&mut agent, 8, "kill", &id).await;
    let killed = editor.asked("terminal/kill").await;
    assert_eq!(killed["params"], json!({ "sessionId": "a/s1", "terminalId": "mine" }));
    editor.answer(&killed, json!({})).await;
    editor.answer(&ending, json!({ "signal": "SIGKILL" })).await;
    let reply = with_output(&mut editor, "", agent.answer_to(8)).await;
    assert!(reply.get("error").is_none(), "{reply}");
    call(&mut agent, 9, "wait_for_exit", &id).await;
    assert_eq!(agent.answer_to(9).await["result"], json!({ "signal": "SIGKILL" }));
}

#[tokio::test]
async fn an_editor_that_disconnects_ends_its_terminals_with_an_error() {
    let mut shared = allowing();
    let mut editor = shared.local(terminals()).await;
    let mut agent = shared.opened(&mut editor).await;
    let (id, _) = begun(&shared, &mut editor, &mut agent).await;
    call(&mut agent, 8, "wait_for_exit", &id).await;
    drop(editor);
    let gone = "the editor that ran the command has disconnected";
    for (number, method) in [(8, None), (9, Some("output")), (10, Some("kill"))] {
        if let Some(method) = method {
            call(&mut agent, number, method, &id).await;
        }
        let reply = agent.answer_to(number).await;
        let message = reply["error"]["message"].as_str().unwrap_or_else(|| panic!("{reply}"));
        assert!(message.starts_with(gone), "{message}");
    }
    // Later commands run on this machine.
    let params = json!({ "sessionId": "s1", "command": "printf", "args": ["here"] });
    agent.call(11, "terminal/create", params).await;
    let id = agent.answer_to(11).await["result"]["terminalId"].as_str().unwrap().to_owned();
    call(&mut agent, 12, "wait_for_exit", &id).await;
    assert_eq!(agent.answer_to(12).await["result"], json!({ "exitCode": 0 }));
    call(&mut agent, 13, "output", &id).await;
    assert_eq!(agent.answer_to(13).await["result"]["output"], "here");
}

#[tokio::test]
async fn the_end_of_the_agent_releases_the_terminals_of_the_editor() {
    let mut shared = allowing();
    let mut editor = shared.local(terminals()).await;
    let mut agent = shared.opened(&mut editor).await;
    begun(&shared, &mut editor, &mut agent).await;
    drop(agent);
    let released = editor.asked("terminal/release").await;
    assert_eq!(released["params"]["terminalId"], "mine");
}

#[tokio::test]
async fn a_command_that_the_editor_refuses_does_not_run_here() {
    let mut shared = allowing();
    let mut editor = shared.local(terminals()).await;
    let mut agent = shared.opened(&mut editor).await;
    agent.call(7, "terminal/create", build(&shared)).await;
    let asked = editor.asked("terminal/create").await;
    let error = json!({ "code": -32602, "message": "no such program" });
    editor.send(json!({ "jsonrpc": "2.0", "id": asked["id"], "error": error })).await;
    assert_eq!(agent.answer_to(7).await["error"]["message"], "no such program");
}

#[tokio::test]
async fn commands_that_an_editor_does_not_start_are_limited() {
    let mut shared = allowing();
    let mut editor = shared.local(terminals()).await;
    let mut agent = shared.opened(&mut editor).await;
    for number in 100..165 {
        agent.call(number, "terminal/create", build(&shared)).await;
    }
    let refused = agent.answer_to(164).await;
    let message = refused["error"]["message"].as_str().unwrap_or_else(|| panic!("{refused}"));
    assert!(message.starts_with("64 terminals are open or being started"), "{message}");
    let mut asked = Vec::new();
    for _ in 100..164 {
        asked.push(editor.asked("terminal/create").await);
    }
    editor.settle().await;
    assert!(!editor.has_seen("terminal/create"), "the last one does not reach the editor");
    // Another command may begin when one of them has failed.
    let error = json!({ "code": -32602, "message": "no such program" });
    let id = &asked[0]["id"];
    editor.send(json!({ "jsonrpc": "2.0", "id": id, "error": error })).await;
    // The commands reach the editor in any order.
    let failed = agent.next().await.unwrap();
    assert_eq!(failed["error"]["message"], "no such program", "{failed}");
    agent.call(165, "terminal/create", build(&shared)).await;
    let asked = editor.asked("terminal/create").await;
    editor.answer(&asked, json!({ "terminalId": "mine" })).await;
    assert!(agent.answer_to(165).await["result"]["terminalId"].is_string());
}

#[tokio::test]
async fn an_editor_that_never_starts_a_command_ends_the_wait_of_the_agent() {
    let mut shared = allowing();
    let mut editor = shared.local(terminals()).await;
    let mut agent = shared.opened(&mut editor).await;
    agent.call(7, "terminal/create", build(&shared)).await;
    let asked = editor.asked("terminal/create").await;
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(31)).await;
    tokio::time::resume();
    let reply = agent.answer_to(7).await;
    let message = reply["error"]["message"].as_str().unwrap_or_else(|| panic!("{reply}"));
    assert!(message.starts_with("the editor that runs the command failed"), "{message}");
    // A terminal that comes late is released.
    editor.answer(&asked, json!({ "terminalId": "late" })).await;
    let released = editor.asked("terminal/release").await;
    assert_eq!(released["params"]["terminalId"], "late");
}

#[tokio::test]
async fn an_editor_that_never_reports_the_end_of_a_killed_command_is_named() {
    let mut shared = allowing();
    let mut editor = shared.local(terminals()).await;
    let mut agent = shared.opened(&mut editor).await;
    let (id, _) = begun(&shared, &mut editor, &mut agent).await;
    call(&mut agent, 8, "kill", &id).await;
    let killed = editor.asked("terminal/kill").await;
    editor.answer(&killed, json!({})).await;
    editor.settle().await;
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(31)).await;
    tokio::time::resume();
    let reply = agent.answer_to(8).await;
    let message = reply["error"]["message"].as_str().unwrap_or_else(|| panic!("{reply}"));
    assert!(message.contains("does not report its end"), "{message}");
}

#[tokio::test]
async fn the_hub_asks_before_the_editor_runs_a_command() {
    let mut shared = Shared::with(options());
    let mut editor = shared.local(terminals()).await;
    let mut agent = shared.opened(&mut editor).await;
    for (number, option) in [(7, "reject"), (8, "allow")] {
        agent.call(number, "terminal/create", build(&shared)).await;
        let question = editor.asked("session/request_permission").await;
        editor.settle().await;
        assert!(!editor.has_seen("terminal/create"));
        let outcome = json!({ "outcome": "selected", "optionId": option });
        editor.answer(&question, json!({ "outcome": outcome })).await;
        if option == "reject" {
            assert!(agent.answer_to(number).await["error"].is_object());
        }
    }
    let asked = editor.asked("terminal/create").await;
    editor.answer(&asked, json!({ "terminalId": "mine" })).await;
    assert!(agent.answer_to(8).await["result"]["terminalId"].is_string());
}

#[tokio::test]
async fn a_line_for_the_shell_reaches_the_editor_as_one() {
    let mut shared = allowing();
    let mut editor = shared.local(terminals()).await;
    let mut agent = shared.opened(&mut editor).await;
    let params = json!({ "sessionId": "s1", "command": "echo a && echo b" });
    agent.call(7, "terminal/create", params).await;
    let asked = editor.asked("terminal/create").await;
    let (command, args) = (&asked["params"]["command"], &asked["params"]["args"]);
    assert_eq!((command, args), (&json!("/bin/sh"), &json!(["-c", "echo a && echo b"])));
}

#[tokio::test]
async fn a_remote_client_never_runs_commands() {
    let mut shared = allowing();
    let (mut phone, _scope) = shared.connect(Place::Device(DeviceId("d".into())), Scope::Control);
    hello(&mut phone, terminals()).await;
    let mut agent = shared.opened(&mut phone).await;
    let params = json!({ "sessionId": "s1", "command": "printf", "args": ["here"] });
    agent.call(7, "terminal/create", params).await;
    let reply = agent.answer_to(7).await;
    assert!(reply["result"]["terminalId"].is_string(), "{reply}");
    phone.settle().await;
    assert!(!phone.has_seen("terminal/create"));
}
