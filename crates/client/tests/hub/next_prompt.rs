//! Texts that the next prompt begins with.

use crate::scripted_agent::{ScriptedAgent, soon};
use crate::started::{Started, idle, scripted, started_with};
use attache_client::{Hub, HubOptions, HubSession};
use attache_session::MemoryStore;
use serde_json::{Value, json};
use std::sync::Arc;

const RESUMES: fn() -> Value = || json!({ "sessionCapabilities": { "resume": {} } });

async fn stored(store: &MemoryStore) -> Started {
    let options = HubOptions::default().store(Arc::new(store.clone()));
    started_with(options, RESUMES(), json!({ "sessionId": "s1" })).await
}

/// Opens the session once more, in another hub.
async fn reopened(store: &MemoryStore) -> (Hub, HubSession, ScriptedAgent) {
    let hub = Hub::new(HubOptions::default().store(Arc::new(store.clone())));
    let (source, mut starts) = scripted();
    hub.add("a", source).unwrap();
    let answering = async {
        let mut agent = starts.next(RESUMES()).await;
        let call = agent.expect("session/resume").await;
        agent.reply(&call, json!({})).await;
        agent
    };
    let (session, agent) = tokio::join!(hub.switch("a", "s1", None).into_future(), answering);
    (hub, session.unwrap(), agent)
}

/// Runs a turn, and returns the texts of the prompt that the agent got.
async fn turn(session: &HubSession, agent: &mut ScriptedAgent, prompt: &str) -> Vec<String> {
    session.send(prompt).unwrap();
    let call = agent.expect("session/prompt").await;
    agent.end_turn(&call).await;
    idle(session).await;
    let blocks = call["params"]["prompt"].as_array().unwrap();
    blocks.iter().map(|block| block["text"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn the_text_for_the_next_prompt_outlives_the_hub() {
    let store = MemoryStore::new();
    let mut it = stored(&store).await;
    turn(&it.session, &mut it.agent, "one").await;
    it.session.add_to_next_prompt("an earlier text");
    it.session.add_to_next_prompt("a change was rejected");
    drop(it.agent);
    soon(it.hub.close()).await;

    let (hub, session, mut agent) = reopened(&store).await;
    assert_eq!(session.next_prompt_note().as_deref(), Some("a change was rejected"));
    let sent = turn(&session, &mut agent, "two").await;
    assert_eq!(sent, ["a change was rejected", "two"]);
    assert_eq!(session.next_prompt_note(), None);
    drop(agent);
    soon(hub.close()).await;

    let (_hub, session, mut agent) = reopened(&store).await;
    assert_eq!(turn(&session, &mut agent, "three").await, ["three"], "it is sent once");
}

#[tokio::test]
async fn a_command_is_sent_without_the_text_which_waits_for_the_next_prompt() {
    let mut it = stored(&MemoryStore::new()).await;
    it.session.add_to_next_prompt("a change was rejected");
    assert_eq!(turn(&it.session, &mut it.agent, " /compact all").await, [" /compact all"]);
    let sent = turn(&it.session, &mut it.agent, "go on").await;
    assert_eq!(sent, ["a change was rejected", "go on"]);
    assert_eq!(turn(&it.session, &mut it.agent, "and on").await, ["and on"]);
}

#[tokio::test]
async fn a_text_that_is_added_while_a_prompt_is_sent_waits_for_the_next_one() {
    let mut it = stored(&MemoryStore::new()).await;
    it.session.add_to_next_prompt("first");
    it.session.send("one").unwrap();
    let call = it.agent.expect("session/prompt").await;
    it.session.add_to_next_prompt("second");
    it.agent.end_turn(&call).await;
    idle(&it.session).await;
    assert_eq!(turn(&it.session, &mut it.agent, "two").await, ["second", "two"]);
}

#[tokio::test]
async fn the_text_moves_to_the_session_that_continues_this_one() {
    let mut it = stored(&MemoryStore::new()).await;
    turn(&it.session, &mut it.agent, "one").await;
    it.session.add_to_next_prompt("a change was rejected");
    let agent = &mut it.agent;
    let answering = async {
        let call = agent.expect("session/new").await;
        agent.reply(&call, json!({ "sessionId": "s2" })).await;
        agent.prompted().await.1
    };
    let (new, first) = tokio::join!(it.session.continue_in_new_session(), answering);
    new.unwrap();
    assert_eq!(first, "a change was rejected");
    assert_eq!(it.session.next_prompt_note(), None);
}
