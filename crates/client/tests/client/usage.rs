//! Which foreign agent is named as the one that counted a session's tokens, and when these token
//! counts are kept.

use crate::scripted_agent::{ScriptedAgent, connected_with, opened, soon};
use attache_client::{AgentProcess, Options, SessionHandle};
use serde_json::{Value, json};

async fn counted_by(about: Value) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let answer = json!({ "protocolVersion": 1, "agentInfo": about });
    let (connection, mut agent) = connected_with(Options::default(), answer).await;
    let session = opened(&connection, &mut agent, folder.path()).await;
    session.snapshot().usage().counted_by().map(str::to_owned)
}

/// USE-10.
#[tokio::test]
async fn tokens_are_counted_by_the_agent_unless_it_is_the_built_in_one() {
    assert_eq!(
        counted_by(json!({ "name": "copilot", "version": "1" })).await.as_deref(),
        Some("copilot")
    );
    assert_eq!(counted_by(json!({ "name": "attache", "version": "1" })).await, None);
    let nameless = counted_by(json!(null)).await;
    assert_eq!(
        nameless.as_deref(),
        Some("the agent"),
        "an agent without a name counts as a foreign one"
    );
    assert_eq!(counted_by(json!({ "name": " ", "version": "1" })).await, nameless);
}

/// USE-10.
#[tokio::test]
async fn an_agent_without_a_name_has_the_name_of_its_program() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("nameless-agent");
    let text = r#"#!/bin/sh
        read line; echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}'
        read line; echo '{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s1"}}'
        cat"#;
    std::fs::write(&script, text).unwrap();
    let agent = AgentProcess::start(&format!("/bin/sh '{}'", script.display())).await.unwrap();
    let session = soon(agent.open(folder.path()).into_future()).await.unwrap();
    assert_eq!(session.snapshot().usage().counted_by(), Some("sh"));
    agent.stop().await;
}

async fn turn(session: &SessionHandle, agent: &mut ScriptedAgent) {
    let mut turn = session.prompt("go").await.unwrap();
    let call = agent.expect("session/prompt").await;
    let usage = json!({ "totalTokens": 9, "inputTokens": 4, "outputTokens": 5 });
    agent.reply(&call, json!({ "stopReason": "end_turn", "usage": usage })).await;
    soon(turn.outcome()).await.unwrap();
}

/// USE-10, SESS-18: a resumed session has the same agent, so its figures are kept.
#[tokio::test]
async fn a_resumed_session_keeps_its_figures_and_a_loaded_one_resets_them() {
    let folder = tempfile::tempdir().unwrap();
    let capabilities = json!({ "loadSession": true, "sessionCapabilities": { "resume": {} } });
    let about = json!({ "name": "copilot", "version": "1" });
    let answer =
        json!({ "protocolVersion": 1, "agentInfo": about, "agentCapabilities": capabilities });
    let (connection, mut agent) = connected_with(Options::default(), answer).await;
    let session = opened(&connection, &mut agent, folder.path()).await;
    turn(&session, &mut agent).await;
    for (method, opening, total) in [
        ("session/resume", connection.resume("s1", folder.path()), 9),
        ("session/load", connection.load("s1", folder.path()), 0),
    ] {
        let answering = async {
            let call = agent.expect(method).await;
            agent.reply(&call, json!({})).await;
        };
        let (opened, ()) = tokio::join!(opening.into_future(), answering);
        let session = opened.unwrap().snapshot();
        assert_eq!(
            (session.usage().counted_by(), session.usage().total().total),
            (Some("copilot"), total),
            "{method}"
        );
    }
}
