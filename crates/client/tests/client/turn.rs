//! The rules about turns (PROMPT, CANCEL).

use crate::scripted_agent::{ScriptedAgent, connected, connected_with, opened, soon};
use attache_client::{
    AgentConnection, Change, Options, Prompt, PromptError, SessionHandle, Turn, TurnError,
};
use attache_protocol::v1::{ContentBlock, ImageContent, ResourceLink, StopReason};
use attache_session::TurnState;
use serde_json::{Value, json};
use std::time::Duration;

async fn ready() -> (AgentConnection, ScriptedAgent, SessionHandle, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let (connection, mut agent) = connected(json!({})).await;
    let session = opened(&connection, &mut agent, folder.path()).await;
    (connection, agent, session, folder)
}

async fn begun(session: &SessionHandle, agent: &mut ScriptedAgent) -> (Turn, Value) {
    let turn = session.prompt("go").await.unwrap();
    let call = agent.expect("session/prompt").await;
    (turn, call)
}

async fn text_of(turn: &mut Turn) -> String {
    let mut text = String::new();
    while let Some(change) = soon(turn.next()).await {
        if let Change::Text(new) = change {
            text.push_str(&new);
        }
    }
    text
}

#[tokio::test]
async fn a_turn_returns_its_changes_and_its_outcome() {
    let (_connection, mut agent, session, _folder) = ready().await;
    let (mut turn, call) = begun(&session, &mut agent).await;
    assert_eq!(
        call["params"],
        json!({ "sessionId": "s1", "prompt": [{ "type": "text", "text": "go" }] })
    );
    assert!(matches!(session.snapshot().turn(), TurnState::Running { .. }));
    agent.say("Hel").await;
    assert!(matches!(soon(turn.next()).await, Some(Change::Began(_))));
    assert!(matches!(soon(turn.next()).await, Some(Change::Text(text)) if text == "Hel"));
    agent.say("lo").await;
    assert!(matches!(soon(turn.next()).await, Some(Change::Text(text)) if text == "lo"));
    agent
        .update("s1", json!({ "sessionUpdate": "tool_call", "toolCallId": "t", "title": "Look" }))
        .await;
    assert!(
        matches!(soon(turn.next()).await, Some(Change::ToolCall(call)) if call.title == "Look")
    );
    let usage = json!({ "totalTokens": 9, "inputTokens": 4, "outputTokens": 5 });
    agent.reply(&call, json!({ "stopReason": "end_turn", "usage": usage })).await;
    assert!(matches!(soon(turn.next()).await, Some(Change::Usage(_))));
    assert!(matches!(soon(turn.next()).await, Some(Change::Turn(_))));
    assert!(soon(turn.next()).await.is_none());
    let outcome = soon(turn.outcome()).await.unwrap();
    assert_eq!(
        (outcome.stop_reason, outcome.usage.unwrap().total_tokens),
        (StopReason::EndTurn, 9)
    );
    assert!(soon(turn.next()).await.is_none());
    assert_eq!(session.snapshot().turn(), TurnState::Idle);
    drop(turn);
    // The agent gets the prompt, and not a cancel of the turn that ended.
    let (_turn, call) = begun(&session, &mut agent).await;
    agent.reply(&call, json!({ "stopReason": "end_turn" })).await;
}

#[tokio::test]
async fn a_late_watcher_gets_one_text_and_the_final_state() {
    let (_connection, mut agent, session, _folder) = ready().await;
    let (mut turn, call) = begun(&session, &mut agent).await;
    agent
        .update("s1", json!({ "sessionUpdate": "tool_call", "toolCallId": "t", "title": "Look" }))
        .await;
    for status in ["in_progress", "completed"] {
        agent
            .update(
                "s1",
                json!({ "sessionUpdate": "tool_call_update", "toolCallId": "t", "status": status }),
            )
            .await;
    }
    for _ in 0..1000 {
        agent.say("x").await;
    }
    agent.reply(&call, json!({ "stopReason": "max_tokens" })).await;
    assert_eq!(soon(turn.outcome()).await.unwrap().stop_reason, StopReason::MaxTokens);
    let mut changes = Vec::new();
    while let Some(change) = soon(turn.next()).await {
        changes.push(change);
    }
    assert!(
        matches!(
            &changes[..],
            [Change::ToolCall(call), Change::Began(_), Change::Text(text), Change::Turn(_)]
                if call.status().as_str() == "completed" && text.len() == 1000
        ),
        "{changes:?}"
    );
}

#[tokio::test]
async fn updates_outside_a_turn_are_folded_and_watched() {
    let (_connection, mut agent, session, _folder) = ready().await;
    let mut watch = session.watch();
    agent.update("s1", json!({ "sessionUpdate": "session_info_update", "title": "Tidy up" })).await;
    let update = soon(watch.next()).await.unwrap();
    assert!(
        matches!(&update.changes[..], [Change::Info { title: Some(title), .. }] if title == "Tidy up")
    );
    drop(agent);
    assert!(soon(watch.next()).await.is_none(), "a watch ends with the connection");
}

#[tokio::test]
async fn a_second_prompt_is_refused_here_while_one_runs() {
    let (_connection, mut agent, session, _folder) = ready().await;
    let (_turn, call) = begun(&session, &mut agent).await;
    assert!(matches!(session.prompt("again").await, Err(PromptError::TurnRunning)));
    agent.reply(&call, json!({ "stopReason": "end_turn" })).await;
}

#[tokio::test]
async fn content_that_the_agent_does_not_take_is_not_sent() {
    let (_connection, mut agent, session, _folder) = ready().await;
    let image = ContentBlock::from(ImageContent::new("aGk=", "image/png"));
    let error = session.prompt(vec!["look".into(), image]).await.unwrap_err();
    assert!(error.to_string().contains("promptCapabilities.image"), "{error}");
    assert!(matches!(session.prompt(Vec::new()).await, Err(PromptError::Empty)));
    assert!(session.snapshot().entries().is_empty());
    begun(&session, &mut agent).await;
}

#[tokio::test]
async fn a_turn_without_a_stop_reason_says_which_side_caused_it_and_the_session_continues() {
    let (_connection, mut agent, session, _folder) = ready().await;
    let (mut turn, call) = begun(&session, &mut agent).await;
    agent.refuse(&call, -31002, "credential was rejected").await;
    let error = soon(turn.outcome()).await.unwrap_err();
    assert_eq!(error.error_response().unwrap().code.0, -31002);
    assert!(error.to_string().contains("credential was rejected"));

    let (mut turn, call) = begun(&session, &mut agent).await;
    agent.reply(&call, json!({ "stopReason": "pause" })).await; // PROMPT-16
    assert!(matches!(
        soon(turn.outcome()).await,
        Err(TurnError::UnknownStopReason(reason)) if &*reason == "pause"
    ));

    let (mut turn, call) = begun(&session, &mut agent).await;
    agent.reply(&call, json!({})).await;
    assert!(matches!(soon(turn.outcome()).await, Err(TurnError::BadReply(_))));

    let (mut turn, call) = begun(&session, &mut agent).await;
    agent.reply(&call, json!({ "stopReason": "end_turn" })).await;
    soon(turn.outcome()).await.unwrap();
}

#[tokio::test]
async fn a_cancelled_turn_still_takes_updates_and_ends_by_the_agents_answer() {
    let (_connection, mut agent, session, _folder) = ready().await;
    let (mut turn, call) = begun(&session, &mut agent).await;
    agent.say("a").await;
    turn.cancel();
    turn.cancel();
    assert_eq!(agent.expect("session/cancel").await["params"]["sessionId"], "s1");
    agent.say("b").await;
    agent.reply(&call, json!({ "stopReason": "cancelled" })).await;
    assert_eq!(text_of(&mut turn).await, "ab");
    assert_eq!(soon(turn.outcome()).await.unwrap().stop_reason, StopReason::Cancelled);
    let (mut turn, call) = begun(&session, &mut agent).await; // the second cancel sent nothing
    turn.cancel();
    agent.expect("session/cancel").await;
    agent.refuse(&call, -32800, "aborted").await;
    assert_eq!(soon(turn.outcome()).await.unwrap().stop_reason, StopReason::Cancelled);
}

#[tokio::test]
async fn dropping_a_turn_cancels_it() {
    let (_connection, mut agent, session, _folder) = ready().await;
    let (turn, call) = begun(&session, &mut agent).await;
    drop(turn);
    agent.expect("session/cancel").await;
    let mut watch = session.watch();
    agent.reply(&call, json!({ "stopReason": "cancelled" })).await;
    while session.snapshot().turn() != TurnState::Idle {
        soon(watch.next()).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn the_client_ends_a_turn_whose_cancel_is_never_answered() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options::default().cancel(Duration::from_secs(10));
    let (connection, mut agent) = connected_with(options, json!({ "protocolVersion": 1 })).await;
    let session = opened(&connection, &mut agent, folder.path()).await;
    let (mut turn, call) = begun(&session, &mut agent).await;
    turn.cancel();
    let outcome = turn.outcome().await;
    assert!(matches!(
        outcome,
        Err(TurnError::CancelUnanswered { after }) if after == Duration::from_secs(10)
    ));
    assert!(connection.is_unresponsive());
    assert_eq!(session.snapshot().turn(), TurnState::Idle);
    agent.expect("session/cancel").await;
    assert_eq!(agent.expect("$/cancel_request").await["params"]["requestId"], call["id"]);
    // The late answer does not end a turn, but shows that the agent responds again.
    let (mut next, next_call) = begun(&session, &mut agent).await;
    agent.reply(&call, json!({ "stopReason": "cancelled" })).await;
    agent.say("fresh").await;
    agent.reply(&next_call, json!({ "stopReason": "end_turn" })).await;
    assert_eq!(text_of(&mut next).await, "fresh");
    assert_eq!(next.outcome().await.unwrap().stop_reason, StopReason::EndTurn);
    assert!(!connection.is_unresponsive());
}

#[tokio::test]
async fn everything_in_flight_ends_with_the_connection() {
    let (connection, mut agent, session, _folder) = ready().await;
    let (mut turn, _call) = begun(&session, &mut agent).await;
    agent.say("half").await;
    drop(agent);
    assert_eq!(text_of(&mut turn).await, "half");
    assert!(matches!(soon(turn.outcome()).await, Err(TurnError::Disconnected(_))));
    assert!(matches!(session.prompt("x").await, Err(PromptError::Disconnected(_))));
    soon(connection.ended()).await;
    assert_eq!(session.snapshot().turn(), TurnState::Idle);
}

#[tokio::test]
async fn dropping_the_agent_ends_its_turns_and_watches() {
    let (connection, mut agent, session, _folder) = ready().await;
    let (mut turn, _call) = begun(&session, &mut agent).await;
    let mut watch = session.watch();
    drop(connection);
    assert!(matches!(soon(turn.outcome()).await, Err(TurnError::Disconnected(_))));
    while soon(watch.next()).await.is_some() {}
    while agent.next().await.is_some() {}
}

#[tokio::test]
async fn an_update_without_a_name_in_this_version_is_kept_and_shown() {
    let (_connection, mut agent, session, _folder) = ready().await;
    let (mut turn, call) = begun(&session, &mut agent).await;
    agent.update("s1", json!({ "sessionUpdate": "mood", "level": 3 })).await;
    let Some(Change::Other { name, raw, .. }) = soon(turn.next()).await else { panic!() };
    assert!(name == "mood" && raw.is_some_and(|raw| raw.get().contains("level")));
    agent.reply(&call, json!({ "stopReason": "end_turn" })).await;
}

/// CMD-03, PROMPT-12, PROMPT-15: a command is ordinary text, with or without links beside it, and
/// the next prompt follows the end of a turn.
#[tokio::test]
async fn prompts_follow_one_another_and_arrive_as_they_were_written() {
    let (_connection, mut agent, session, _folder) = ready().await;
    let text = |text: &str| json!({ "type": "text", "text": text });
    let link = json!({ "type": "resource_link", "uri": "file:///a", "name": "a" });
    let linked =
        vec!["/plan".into(), ContentBlock::ResourceLink(ResourceLink::new("file:///a", "a"))];
    let prompts: [(Prompt, Value); 3] = [
        ("/plan the day".into(), json!([text("/plan the day")])),
        (linked.into(), json!([text("/plan"), link])),
        ("//".into(), json!([text("//")])),
    ];
    for (prompt, sent) in prompts {
        let mut turn = soon(session.prompt(prompt)).await.unwrap();
        let call = agent.expect("session/prompt").await;
        assert_eq!(call["params"], json!({ "sessionId": "s1", "prompt": sent }));
        agent.reply(&call, json!({ "stopReason": "end_turn" })).await;
        soon(turn.outcome()).await.unwrap();
    }
}
