//! A hub with agents of version 2: queues, work without a prompt, and restarts.

use crate::scripted_agent::{ScriptedAgent, soon};
use crate::started::{Starts, idle, scripted, texts, until};
use attache_client::{Hub, HubOptions, HubSession, SessionState};
use attache_protocol::v1::ProtocolVersion;
use serde_json::{Value, json};

struct Started {
    hub: Hub,
    session: HubSession,
    agent: ScriptedAgent,
    starts: Starts,
    _folder: tempfile::TempDir,
}

/// Returns the next start, with the handshake of version 2 done.
async fn greeted(starts: &mut Starts) -> ScriptedAgent {
    let mut agent = starts.unanswered().await;
    let call = agent.expect("initialize").await;
    let info = json!({ "name": "scripted", "version": "1" });
    let capabilities = json!({ "session": {} });
    let answer = json!({ "protocolVersion": 2, "info": info, "capabilities": capabilities });
    agent.reply(&call, answer).await;
    agent
}

async fn started() -> Started {
    let folder = tempfile::tempdir().unwrap();
    let hub = Hub::new(HubOptions::default());
    let (source, mut starts) = scripted();
    let source = source.with_options(|options| options.protocol(ProtocolVersion::V2));
    hub.add("a", source).unwrap();
    let answering = async {
        let mut agent = greeted(&mut starts).await;
        let call = agent.expect("session/new").await;
        agent.reply(&call, json!({ "sessionId": "s1" })).await;
        agent
    };
    let (session, agent) = tokio::join!(hub.open("a", folder.path()).into_future(), answering);
    Started { hub, session: session.unwrap(), agent, starts, _folder: folder }
}

async fn state(agent: &mut ScriptedAgent, state: &str) {
    let mut update = json!({ "sessionUpdate": "state_update", "state": state });
    if state == "idle" {
        update["stopReason"] = json!("end_turn");
    }
    agent.update("s1", update).await;
}

async fn say(agent: &mut ScriptedAgent, id: &str, text: &str) {
    let content = json!({ "type": "text", "text": text });
    let update =
        json!({ "sessionUpdate": "agent_message_chunk", "messageId": id, "content": content });
    agent.update("s1", update).await;
}

/// Takes the next prompt, which must have this text, into the conversation.
async fn takes(agent: &mut ScriptedAgent, text: &str, id: &str) {
    let (call, prompted) = agent.prompted().await;
    assert_eq!(prompted, text);
    agent.reply(&call, json!({ "messageId": id })).await;
    state(agent, "running").await;
}

fn is_running(session: &HubSession) -> bool {
    matches!(session.state(), SessionState::Running { .. })
}

#[tokio::test]
async fn prompts_wait_for_the_end_of_the_turn_and_not_for_the_reply() {
    let mut it = started().await;
    it.session.send("one").unwrap();
    it.session.send("two").unwrap();
    takes(&mut it.agent, "one", "m1").await;
    say(&mut it.agent, "a1", "first").await;
    it.agent.heard().await;
    assert_eq!(it.session.queue().len(), 1, "the second prompt waits");
    state(&mut it.agent, "idle").await;
    takes(&mut it.agent, "two", "m2").await;
    say(&mut it.agent, "a2", "second").await;
    state(&mut it.agent, "idle").await;
    idle(&it.session).await;
    assert_eq!(texts(&it.session), ["one", "first", "two", "second"]);
    soon(it.hub.close()).await;
}

#[tokio::test]
async fn work_without_a_prompt_is_shown_and_cancelled() {
    let mut it = started().await;
    state(&mut it.agent, "running").await;
    until(&it.session, is_running).await;
    it.session.cancel();
    it.agent.expect("session/cancel").await;
    state(&mut it.agent, "idle").await;
    idle(&it.session).await;
}

#[tokio::test]
async fn one_tool_call_of_a_session_is_cancelled() {
    let mut it = started().await;
    let update = json!({ "sessionUpdate": "tool_call_update", "toolCallId": "t", "title": "Build",
        "status": "in_progress", "capabilities": { "cancel": {} } });
    it.agent.update("s1", update).await;
    it.agent.heard().await;
    let (id, terminal) = ("t".into(), "unknown".into());
    let (cancelled, ()) = tokio::join!(it.session.cancel_tool_call(&id), async {
        let call = it.agent.expect("tool_call/cancel").await;
        it.agent.reply(&call, json!({})).await;
    });
    cancelled.unwrap();
    assert!(it.session.cancel_terminal(&terminal).await.is_err());
}

#[tokio::test]
async fn an_agent_that_ends_in_its_own_work_is_resumed_in_the_same_version() {
    let mut it = started().await;
    state(&mut it.agent, "running").await;
    until(&it.session, is_running).await;
    drop(it.agent);
    let mut agent = greeted(&mut it.starts).await;
    let call = agent.expect("session/resume").await;
    assert_eq!(call["params"].get("replayFrom"), None::<&Value>);
    agent.update("s1", json!({ "sessionUpdate": "state_update", "state": "idle" })).await;
    agent.reply(&call, json!({})).await;
    idle(&it.session).await;
    it.session.send("go on").unwrap();
    takes(&mut agent, "go on", "m1").await;
    state(&mut agent, "idle").await;
    idle(&it.session).await;
}
