//! Terminals that the hub runs for an agent, as its clients see them.

use crate::client::Client;
use crate::scripted_agent::ScriptedAgent;
use crate::shared::{Shared, hello, hello_version_2};
use attache_client::{HubOptions, Options, Permissions};
use attache_serve::{Place, Scope};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::time::Duration;

fn allowing() -> Shared {
    let options = HubOptions::default().client(Options::default().terminals());
    Shared::with(options.decide_first(|_, _, _| Permissions::AllowAll))
}

/// The agent runs a line of the shell, and shows its terminal in a tool call.
async fn runs(agent: &mut ScriptedAgent, line: &str, limit: Value) -> String {
    let params = json!({
        "sessionId": "s1", "command": "sh", "args": ["-c", line], "outputByteLimit": limit,
    });
    agent.call(7, "terminal/create", params).await;
    let reply = agent.answer_to(7).await;
    let id = reply["result"]["terminalId"].as_str().unwrap_or_else(|| panic!("{reply}"));
    let content = json!([{ "type": "terminal", "terminalId": id }]);
    let update = json!({
        "sessionUpdate": "tool_call", "toolCallId": "c", "title": "Run", "content": content,
    });
    agent.update("s1", update).await;
    id.to_owned()
}

async fn ended(agent: &mut ScriptedAgent, id: &str) {
    agent.call(8, "terminal/wait_for_exit", json!({ "sessionId": "s1", "terminalId": id })).await;
    agent.answer_to(8).await;
}

/// Waits longer than usual until a command has ended.
async fn ended_at_last(agent: &mut ScriptedAgent, id: &str) {
    let ended = async {
        loop {
            let params = json!({ "sessionId": "s1", "terminalId": id });
            agent.call(8, "terminal/output", params).await;
            let reply = agent.answer_to(8).await;
            if reply["result"]["exitStatus"].is_object() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(180), ended).await.expect("the command runs");
}

/// Waits until the client was sent a tool call with this text.
async fn shown(client: &mut Client, text: &str) {
    let is_wanted =
        |message: &Value| message["params"]["update"]["content"][0]["content"]["text"] == text;
    client.find(is_wanted).await;
}

#[tokio::test]
async fn a_client_of_version_1_sees_the_output_grow_as_text() {
    let mut shared = allowing();
    let mut client = shared.local(json!({})).await;
    let mut agent = shared.opened(&mut client).await;
    let go = shared.folder.path().join("go");
    let line = "echo 表; while [ ! -e go ]; do sleep 0.1; done; printf '```'; exit 2";
    let id = runs(&mut agent, line, Value::Null).await;
    shown(&mut client, "```\n表\n```").await;
    std::fs::write(go, "").unwrap();
    shown(&mut client, "````\n表\n```\n````").await;
    ended(&mut agent, &id).await;
    // The output stays when the agent releases the terminal, also for clients that come later.
    agent.call(9, "terminal/release", json!({ "sessionId": "s1", "terminalId": id })).await;
    agent.answer_to(9).await;
    let mut late = shared.local(json!({})).await;
    let params = shared.of("a/s1");
    late.call("session/load", params).await;
    shown(&mut late, "````\n表\n```\n````").await;
}

#[tokio::test]
async fn a_client_of_version_1_sees_where_the_output_was_cut() {
    let mut shared = allowing();
    let mut client = shared.local(json!({})).await;
    let mut agent = shared.opened(&mut client).await;
    // The limit falls into the character.
    let id = runs(&mut agent, "printf 'abc表de'", json!(4)).await;
    ended(&mut agent, &id).await;
    shown(&mut client, "The start of the output is left out.\n\n```\nde\n```").await;
}

#[tokio::test]
async fn a_client_of_version_2_sees_the_terminal() {
    let mut shared = allowing();
    let (mut client, _scope) = shared.connect(Place::Socket, Scope::Control);
    hello_version_2(&mut client).await;
    let mut agent = shared.opened(&mut client).await;
    let line = "echo 表; while [ ! -e go ]; do sleep 0.1; done; echo two; exit 2";
    let id = runs(&mut agent, line, Value::Null).await;
    let call = client.update("tool_call_update").await;
    let terminal = json!([{ "type": "terminal", "terminalId": id }]);
    assert_eq!(call["content"], terminal, "{call}");
    let mut output = Vec::new();
    let mut exit = Value::Null;
    while exit.is_null() {
        let is_terminal = |message: &Value| {
            let kind = message["params"]["update"]["sessionUpdate"].as_str();
            kind.is_some_and(|kind| kind.starts_with("terminal_"))
        };
        let mut message = client.find(is_terminal).await;
        let update = message["params"]["update"].take();
        assert_eq!(update["terminalId"], id.as_str());
        if let Some(data) = update["output"]["data"].as_str() {
            output = STANDARD.decode(data).unwrap();
        }
        if let Some(data) = update["data"].as_str() {
            output.extend(STANDARD.decode(data).unwrap());
        }
        if output == "表\n".as_bytes() {
            std::fs::write(shared.folder.path().join("go"), "").unwrap();
        }
        exit = update["exitStatus"]["exitCode"].clone();
    }
    assert_eq!((String::from_utf8(output).unwrap(), exit), ("表\ntwo\n".to_owned(), json!(2)));
}

#[tokio::test]
async fn a_client_that_does_not_read_gets_only_the_end_of_a_long_output() {
    let mut shared = allowing();
    let mut other = shared.local(json!({})).await;
    let mut agent = shared.opened(&mut other).await;
    let (mut slow, _scope) = shared.connect_with(Place::Socket, Scope::Control, 1 << 12);
    hello(&mut slow, json!({})).await;
    let params = shared.of("a/s1");
    slow.call("session/load", params).await;
    let line = "head -c 100000000 /dev/zero | tr '\\0' x; echo; echo the end";
    let id = runs(&mut agent, line, json!(100_000)).await;
    ended_at_last(&mut agent, &id).await;
    // All of it was written before the client reads again.
    let size = slow.read_until("the end\\n```").await;
    assert!(size < 4 << 20, "{size} bytes waited for the client");
}
