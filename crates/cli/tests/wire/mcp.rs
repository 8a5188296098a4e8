//! An MCP server whose call is cancelled or whose agent ends: nothing waits for the server, and it
//! ends too.

use crate::agent::{Agent, update};
use crate::cancel::{both, cancelled_at_once};
use crate::ending::ends_soon;
use crate::model::{Answer, Model, tool};
use serde_json::{Value, json};
use std::process::Command;

/// Starts the agent with the hand-written server of its own tests; the tool `hang` never answers.
fn with_server(agent: &mut Agent, behaviour: &str) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../coder/tests/coder/mcp_server.mjs");
    agent.servers =
        json!([{ "name": "hand", "command": "node", "args": [script, behaviour], "env": [] }]);
}

fn hang() -> Answer {
    Answer::Whole(tool("hand__hang", &json!({})))
}

/// Allows the call and waits until it runs.
fn allowed(agent: &mut Agent) {
    agent.allow();
    agent.until(|message| update(message)["status"] == "in_progress", &mut Vec::new());
}

fn has_server(lines: &[String]) -> bool {
    lines.iter().any(|line| line.contains("mcp_server.mjs"))
}

/// CANCEL-03.
#[test]
fn a_cancellation_during_a_server_call_is_answered_immediately() {
    let (model, mut agent) = both();
    with_server(&mut agent, "plain");
    cancelled_at_once(&model, &mut agent, "ask", &hang(), |agent, _| allowed(agent));
    agent.mark.wait(has_server);
}

#[test]
fn an_agent_ends_with_its_servers() {
    for behaviour in ["plain", "hang"] {
        ends_soon(|| {
            let mut agent = Agent::start(None, json!({}));
            with_server(&mut agent, behaviour);
            agent.session("ask");
            agent.mark.wait(has_server);
            agent
        });
    }
}

#[test]
fn an_agent_ends_with_a_busy_server() {
    ends_soon(|| {
        let model = Model::start([hang()]);
        let mut agent = Agent::start(Some(&model.url), json!({}));
        with_server(&mut agent, "plain");
        let session = agent.session("ask");
        agent.prompt(&session, "go on");
        allowed(&mut agent);
        agent
    });
}

#[test]
fn servers_end_with_a_killed_agent_and_with_a_closed_session() {
    let mut agent = Agent::start(None, json!({}));
    with_server(&mut agent, "hang");
    let session = agent.session("ask");
    agent.mark.wait(has_server);
    let closed = agent.call("session/close", json!({ "sessionId": session }));
    assert_eq!(closed["error"], Value::Null);
    agent.mark.wait(|lines| !has_server(lines));
    agent.session("ask");
    agent.mark.wait(has_server);
    assert!(
        Command::new("kill").args(["-9", &agent.pid().to_string()]).status().unwrap().success()
    );
    agent.mark.wait(|lines| !has_server(lines));
}
