//! Sessions that outlive their agent.

use crate::scripted_agent::soon;
use crate::started::{idle, started, texts, until};
use attache_client::{AgentState, Hold, SessionState};
use serde_json::json;

#[tokio::test]
async fn a_session_of_a_hub_answers_prompts() {
    let mut it = started(json!({})).await;
    it.session.send("hello").unwrap();
    let (call, text) = it.agent.prompted().await;
    assert_eq!(text, "hello");
    until(&it.session, |session| matches!(session.state(), SessionState::Running { .. })).await;
    it.agent.say("hi").await;
    it.agent.end_turn(&call).await;
    idle(&it.session).await;
    assert_eq!(texts(&it.session), ["hello", "hi"]);
    soon(it.hub.close()).await;
}

#[tokio::test]
async fn a_session_is_resumed_by_an_agent_that_resumes() {
    let mut it = started(json!({ "sessionCapabilities": { "resume": {} } })).await;
    it.session.send("one").unwrap();
    it.session.send("two").unwrap();
    it.session.set_draft("half a thou");
    it.agent.prompted().await;
    it.agent.say("half an ans").await;
    until(&it.session, |session| texts(session).len() == 2).await;
    drop(it.agent);
    let mut agent = it.starts.next(json!({ "sessionCapabilities": { "resume": {} } })).await;
    let call = agent.expect("session/resume").await;
    assert_eq!(call["params"]["sessionId"], "s1");
    agent.reply(&call, json!({})).await;
    until(&it.session, |session| session.state() == SessionState::Idle).await;
    let said = texts(&it.session);
    assert_eq!(said[..2], ["one", "half an ans"]);
    assert!(said[2].contains("resumed"), "{said:?}");
    assert_eq!((it.session.held(), it.session.draft()), (Some(Hold::TurnFailed), "half a thou".to_owned()));
    it.session.release();
    let (call, text) = agent.prompted().await;
    assert_eq!(text, "two");
    agent.say("all of it").await;
    agent.end_turn(&call).await;
    idle(&it.session).await;
    assert!(matches!(it.hub.agent("a").unwrap().state(), AgentState::Up { unresponsive: false, .. }));
}
