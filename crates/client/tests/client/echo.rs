//! Agents that repeat the prompts that they receive.

use crate::scripted_agent::{ScriptedAgent, connected, opened, soon};
use attache_client::{AgentConnection, Change, SessionHandle, Turn};
use attache_session::{EntryContent, MessageAuthor};
use serde_json::{Value, json};

const PROMPT: &str = "make it faster";

async fn ready() -> (AgentConnection, ScriptedAgent, SessionHandle, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let (connection, mut agent) = connected(json!({ "loadSession": true })).await;
    let session = opened(&connection, &mut agent, folder.path()).await;
    (connection, agent, session, folder)
}

fn user(text: &str) -> Value {
    json!({ "sessionUpdate": "user_message_chunk", "content": { "type": "text", "text": text } })
}

fn with_id(id: &str, text: &str) -> Value {
    let content = json!({ "type": "text", "text": text });
    json!({ "sessionUpdate": "user_message_chunk", "messageId": id, "content": content })
}

/// The person's messages in the session.
fn said(session: &SessionHandle) -> Vec<String> {
    let entries = session.snapshot();
    let user = entries.entries().iter().filter(|entry| {
        matches!(&entry.content, EntryContent::Message { author: MessageAuthor::User, .. })
    });
    user.map(|entry| entry.text()).collect()
}

async fn end(agent: &mut ScriptedAgent, call: &Value, turn: &mut Turn) -> String {
    agent.reply(call, json!({ "stopReason": "end_turn" })).await;
    soon(turn.outcome()).await.unwrap();
    let mut told = String::new();
    while let Some(change) = soon(turn.next()).await {
        if let Change::UserText(text) = change {
            told.push_str(&text);
        }
    }
    told
}

/// The person's messages after a turn in which the agent sends `chunks` and then answers.
async fn shown_after(chunks: impl IntoIterator<Item = Value>) -> Vec<String> {
    let (_connection, mut agent, session, _folder) = ready().await;
    let mut turn = session.prompt(PROMPT).await.unwrap();
    let call = agent.expect("session/prompt").await;
    for chunk in chunks {
        agent.update("s1", chunk).await;
    }
    agent.say("done").await;
    end(&mut agent, &call, &mut turn).await;
    let last = session.snapshot();
    assert_eq!(last.entries().iter().last().unwrap().text(), "done");
    said(&session)
}

/// MSG-02, MSG-04.
#[tokio::test]
async fn a_prompt_that_the_agent_repeats_is_shown_once() {
    assert_eq!(shown_after([user(PROMPT)]).await, [PROMPT]);
    assert_eq!(shown_after([with_id("805af616", PROMPT)]).await, [PROMPT]);
    assert_eq!(shown_after([with_id("1", "make it "), with_id("1", "faster")]).await, [PROMPT]);
    let usage = json!({ "sessionUpdate": "usage_update", "used": 1, "size": 2 });
    assert_eq!(shown_after([user("make"), user(" it"), usage, user(" faster")]).await, [PROMPT]);
}

/// MSG-04.
#[tokio::test]
async fn a_message_that_only_begins_like_the_prompt_is_kept_whole() {
    assert_eq!(shown_after([user("make it "), user("slower")]).await, [PROMPT, "make it slower"]);
    assert_eq!(
        shown_after([user(PROMPT), user(" please")]).await,
        [PROMPT, "make it faster please"]
    );
    assert_eq!(shown_after([user("make it")]).await, [PROMPT, "make it"]);
    assert_eq!(shown_after([user("make it slower")]).await, [PROMPT, "make it slower"]);
    assert_eq!(
        shown_after([with_id("1", "make it"), with_id("2", " faster")]).await,
        [PROMPT, "make it", " faster"]
    );
}

/// MSG-02.
#[tokio::test]
async fn only_the_first_repetition_of_a_turn_is_left_out_and_each_turn_has_its_own() {
    assert_eq!(shown_after([with_id("1", PROMPT), with_id("2", PROMPT)]).await, [PROMPT, PROMPT]);

    let (_connection, mut agent, session, _folder) = ready().await;
    for _ in 0..2 {
        let mut turn = session.prompt(PROMPT).await.unwrap();
        let call = agent.expect("session/prompt").await;
        agent.update("s1", user(PROMPT)).await;
        assert_eq!(end(&mut agent, &call, &mut turn).await, "", "a watcher does not see it either");
    }
    assert_eq!(said(&session), [PROMPT, PROMPT]);
    agent.update("s1", user(PROMPT)).await;
    agent.heard().await;
    assert_eq!(said(&session), [PROMPT, PROMPT, PROMPT], "no turn is running");
}

/// A message that was held back comes before the agent's next update and before the end of the
/// turn.
#[tokio::test]
async fn a_message_held_back_keeps_its_place() {
    let (_connection, mut agent, session, _folder) = ready().await;
    let mut turn = session.prompt(PROMPT).await.unwrap();
    let call = agent.expect("session/prompt").await;
    agent.update("s1", user("make")).await;
    let ask = json!({ "sessionId": "s1", "toolCall": { "toolCallId": "t", "title": "T" }, "options": [] });
    agent.call(1, "session/request_permission", ask).await;
    agent.answer_to(1).await;
    let snapshot = session.snapshot();
    let kinds: Vec<bool> = snapshot
        .entries()
        .iter()
        .map(|entry| matches!(entry.content, EntryContent::ToolCall(_)))
        .collect();
    assert_eq!(kinds, [false, false, true]);
    assert_eq!(end(&mut agent, &call, &mut turn).await, "make");
}

/// PROMPT-08.
#[tokio::test]
async fn a_message_held_back_is_shown_before_the_turn_ends() {
    let (_connection, mut agent, session, _folder) = ready().await;
    let mut turn = session.prompt(PROMPT).await.unwrap();
    let call = agent.expect("session/prompt").await;
    agent.update("s1", user("make it")).await;
    assert_eq!(end(&mut agent, &call, &mut turn).await, "make it");
    assert_eq!(said(&session), [PROMPT, "make it"]);
}

/// SESS-13.
#[tokio::test]
async fn a_replayed_prompt_is_not_dropped_as_a_repetition() {
    let (connection, mut agent, session, folder) = ready().await;
    let mut turn = session.prompt(PROMPT).await.unwrap();
    let call = agent.expect("session/prompt").await;
    end(&mut agent, &call, &mut turn).await;
    let replaying = async {
        let call = agent.expect("session/load").await;
        agent.update("s1", user(PROMPT)).await;
        agent.say("done").await;
        agent.update("s1", user(PROMPT)).await;
        agent.reply(&call, json!({})).await;
    };
    let (loaded, ()) = tokio::join!(connection.load("s1", folder.path()).into_future(), replaying);
    assert_eq!(said(&loaded.unwrap()), [PROMPT, PROMPT]);
}
