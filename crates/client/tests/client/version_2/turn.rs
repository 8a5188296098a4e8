//! Turns: the reply to a prompt is an acknowledgement, and a state ends the turn.

use super::scripted::{Ready, asking, ready, ready_with};
use crate::scripted_agent::soon;
use attache_client::{Change, Outcome, Turn, TurnError};
use attache_protocol::v1::StopReason;
use attache_session::{EntryContent, MessageAuthor, TurnOutcome, TurnState};
use serde_json::json;
use std::time::Duration;

/// Checks that the turn goes on after everything that the agent sent.
async fn goes_on(ready: &mut Ready, turn: &Turn) {
    ready.agent.heard().await;
    let phase = turn.phase();
    assert!(matches!(phase, attache_client::TurnPhase::Running), "{phase:?}");
}

async fn stop_of(turn: &mut Turn) -> StopReason {
    soon(turn.outcome()).await.unwrap().stop_reason
}

/// The messages of the session: who said what.
fn messages(ready: &Ready) -> Vec<String> {
    let session = ready.session.snapshot();
    let entries = session.entries().iter();
    let messages = entries.filter_map(|entry| match &entry.content {
        EntryContent::Message { author: MessageAuthor::User, .. } => {
            Some(format!("user: {}", entry.text()))
        }
        EntryContent::Message { .. } => Some(format!("agent: {}", entry.text())),
        _ => None,
    });
    messages.collect()
}

#[tokio::test]
async fn a_turn_ends_with_idle_and_has_its_tokens() {
    let mut ready = ready().await;
    let (mut turn, call) = ready.begin().await;
    let whole = json!({ "sessionUpdate": "user_message", "messageId": "m1", "content": [{ "type": "text", "text": "go" }] });
    ready.agent.update("s1", whole).await;
    ready.acknowledge(&call).await;
    ready.running().await;
    ready.say("Hel").await;
    ready.say("lo").await;
    goes_on(&mut ready, &turn).await;
    let usage = json!({ "totalTokens": 9, "inputTokens": 4, "outputTokens": 5 });
    ready.state(json!({ "state": "idle", "stopReason": "end_turn", "usage": usage })).await;
    let Outcome { stop_reason, usage, .. } = soon(turn.outcome()).await.unwrap();
    assert_eq!((stop_reason, usage.unwrap().total_tokens), (StopReason::EndTurn, 9));
    assert_eq!(messages(&ready), ["user: go", "agent: Hello"]);
    let session = ready.session.snapshot();
    assert_eq!(session.turn(), TurnState::Idle);
    assert_eq!(session.usage().last_turn().unwrap().total_tokens, 9);
    // The tokens are counted once, and a repeated idle is not another end.
    ready.ended("end_turn").await;
    ready.agent.heard().await;
    let mut changes = Vec::new();
    while let Some(change) = soon(turn.next()).await {
        changes.push(change);
    }
    let ends = changes.iter().filter(|change| matches!(change, Change::Turn(_))).count();
    assert_eq!(ends, 1, "{changes:?}");
}

#[tokio::test]
async fn every_stop_reason_has_its_outcome() {
    let mut ready = ready().await;
    for (reason, expected) in [
        ("end_turn", StopReason::EndTurn),
        ("max_tokens", StopReason::MaxTokens),
        ("max_turn_requests", StopReason::MaxTurnRequests),
        ("refusal", StopReason::Refusal),
        ("cancelled", StopReason::Cancelled),
    ] {
        let (mut turn, call) = ready.begin().await;
        ready.acknowledge(&call).await;
        ready.running().await;
        ready.ended(reason).await;
        assert_eq!(stop_of(&mut turn).await, expected);
        let stopped = TurnOutcome::Stopped(expected);
        assert_eq!(ready.session.snapshot().last_outcome(), Some(&stopped));
    }
    let (mut turn, call) = ready.begin().await;
    ready.acknowledge(&call).await;
    ready.ended("bored").await;
    let error = soon(turn.outcome()).await.unwrap_err();
    assert!(matches!(error, TurnError::UnknownStopReason(reason) if &*reason == "bored"));
}

#[tokio::test]
async fn an_error_state_is_the_error_of_the_turn() {
    let mut ready = ready().await;
    let (mut turn, call) = ready.begin().await;
    ready.acknowledge(&call).await;
    ready.running().await;
    let error = json!({ "code": -32603, "message": "out of paper" });
    ready.state(json!({ "state": "idle", "stopReason": "error", "error": error })).await;
    let error = soon(turn.outcome()).await.unwrap_err();
    assert_eq!(error.error_response().unwrap().message, "out of paper");
    assert!(matches!(ready.session.snapshot().last_outcome(), Some(TurnOutcome::Failed(_))));
    // Without an error object, the reason is unstated.
    let (mut turn, call) = ready.begin().await;
    ready.acknowledge(&call).await;
    ready.ended("error").await;
    let error = soon(turn.outcome()).await.unwrap_err();
    assert!(error.to_string().contains("gave no reason"), "{error}");
}

#[tokio::test]
async fn idle_without_a_reason_ends_a_turn_that_ran() {
    let mut ready = ready().await;
    let (mut turn, call) = ready.begin().await;
    ready.acknowledge(&call).await;
    ready.running().await;
    ready.state(json!({ "state": "idle" })).await;
    assert_eq!(stop_of(&mut turn).await, StopReason::EndTurn);
    let stopped = TurnOutcome::Stopped(StopReason::EndTurn);
    assert_eq!(ready.session.snapshot().last_outcome(), Some(&stopped));
}

#[tokio::test]
async fn the_end_of_a_turn_may_come_before_the_reply() {
    let mut ready = ready().await;
    let (mut turn, call) = ready.begin().await;
    ready.running().await;
    ready.say("quick").await;
    ready.ended("end_turn").await;
    goes_on(&mut ready, &turn).await;
    ready.acknowledge(&call).await;
    assert_eq!(stop_of(&mut turn).await, StopReason::EndTurn);
}

#[tokio::test]
async fn states_that_do_not_end_the_turn() {
    let mut ready = ready().await;
    let (mut turn, call) = ready.begin().await;
    // A repeated idle of the time before.
    ready.ended("end_turn").await;
    ready.acknowledge(&call).await;
    ready.state(json!({ "state": "idle", "background": [] })).await;
    ready.running().await;
    ready.state(json!({ "state": "requires_action" })).await;
    ready.state(json!({ "state": "dreaming", "stopReason": "end_turn" })).await;
    ready.state(json!({ "state": "unknown" })).await;
    goes_on(&mut ready, &turn).await;
    assert!(matches!(ready.session.snapshot().turn(), TurnState::Running { .. }));
    ready.ended("end_turn").await;
    assert_eq!(stop_of(&mut turn).await, StopReason::EndTurn);
}

#[tokio::test]
async fn a_refused_prompt_ends_the_turn_even_while_the_agent_runs() {
    let mut ready = ready().await;
    let (mut turn, call) = ready.begin().await;
    ready.running().await;
    ready.agent.refuse(&call, -32603, "no room").await;
    let error = soon(turn.outcome()).await.unwrap_err();
    assert_eq!(error.error_response().unwrap().message, "no room");
    // The agent still reports an end, which changes nothing.
    ready.ended("end_turn").await;
    ready.agent.heard().await;
    assert!(matches!(ready.session.snapshot().last_outcome(), Some(TurnOutcome::Failed(_))));
    // The session goes on.
    let (mut turn, call) = ready.begin().await;
    ready.acknowledge(&call).await;
    ready.ended("end_turn").await;
    assert_eq!(stop_of(&mut turn).await, StopReason::EndTurn);
}

#[tokio::test]
async fn a_reply_of_version_1_ends_the_turn_with_an_error() {
    let mut ready = ready().await;
    let (mut turn, call) = ready.begin().await;
    ready.agent.reply(&call, json!({ "stopReason": "end_turn" })).await;
    let error = soon(turn.outcome()).await.unwrap_err();
    assert!(matches!(error, TurnError::BadReply(_)), "{error}");
    assert!(error.to_string().contains("messageId"), "{error}");
}

#[tokio::test]
async fn a_cancel_is_confirmed_by_idle_or_by_refusing_the_prompt() {
    let mut ready = ready().await;
    // The prompt is in the conversation.
    let (mut turn, call) = ready.begin().await;
    ready.acknowledge(&call).await;
    ready.running().await;
    turn.cancel();
    let cancel = ready.agent.expect("session/cancel").await;
    assert_eq!(cancel["params"], json!({ "sessionId": "s1" }));
    ready.ended("cancelled").await;
    assert_eq!(stop_of(&mut turn).await, StopReason::Cancelled);
    // The prompt is not in the conversation yet.
    let (mut turn, call) = ready.begin().await;
    turn.cancel();
    ready.agent.expect("session/cancel").await;
    ready.agent.refuse(&call, -32800, "cancelled").await;
    assert_eq!(stop_of(&mut turn).await, StopReason::Cancelled);
    // An agent that gives no reason confirms the cancel too.
    let (mut turn, call) = ready.begin().await;
    ready.acknowledge(&call).await;
    ready.running().await;
    turn.cancel();
    ready.agent.expect("session/cancel").await;
    ready.state(json!({ "state": "idle" })).await;
    assert_eq!(stop_of(&mut turn).await, StopReason::Cancelled);
}

#[tokio::test]
async fn a_cancel_without_an_end_runs_into_its_deadline() {
    for is_acknowledged in [false, true] {
        let mut ready = ready_with(asking().cancel(Duration::from_millis(50))).await;
        let (mut turn, call) = ready.begin().await;
        if is_acknowledged {
            ready.acknowledge(&call).await;
            ready.agent.heard().await;
        }
        turn.cancel();
        let error = soon(turn.outcome()).await.unwrap_err();
        assert!(matches!(error, TurnError::CancelUnanswered { .. }), "{error}");
        assert!(ready.connection.is_unresponsive());
        // The late end changes nothing, and the next turn is not disturbed by it.
        ready.agent.expect("session/cancel").await;
        if !is_acknowledged {
            ready.agent.expect("$/cancel_request").await;
        }
        let (mut turn, call) = ready.begin().await;
        ready.ended("cancelled").await;
        ready.acknowledge(&call).await;
        ready.running().await;
        goes_on(&mut ready, &turn).await;
        assert!(!ready.connection.is_unresponsive());
        ready.ended("end_turn").await;
        assert_eq!(stop_of(&mut turn).await, StopReason::EndTurn);
    }
}

#[tokio::test]
async fn the_late_end_of_a_cancelled_turn_does_not_end_the_next_turn() {
    for repeats_running in [false, true] {
        let mut ready = ready_with(asking().cancel(Duration::from_millis(50))).await;
        let (mut turn, call) = ready.begin().await;
        ready.acknowledge(&call).await;
        ready.running().await;
        ready.agent.heard().await;
        turn.cancel();
        let error = soon(turn.outcome()).await.unwrap_err();
        assert!(matches!(error, TurnError::CancelUnanswered { .. }), "{error}");
        ready.agent.expect("session/cancel").await;
        let (mut turn, call) = ready.begin().await;
        ready.acknowledge(&call).await;
        if repeats_running {
            ready.running().await;
        }
        ready.ended("cancelled").await;
        goes_on(&mut ready, &turn).await;
        ready.running().await;
        ready.ended("end_turn").await;
        assert_eq!(stop_of(&mut turn).await, StopReason::EndTurn);
    }
}

#[tokio::test]
async fn a_prompt_that_joins_the_work_of_the_agent_after_a_refusal_ends_with_it() {
    let mut ready = ready().await;
    ready.running().await;
    ready.agent.heard().await;
    let (mut turn, call) = ready.begin().await;
    ready.agent.refuse(&call, -32603, "busy").await;
    soon(turn.outcome()).await.unwrap_err();
    let (mut turn, call) = ready.begin().await;
    ready.acknowledge(&call).await;
    ready.ended("end_turn").await;
    assert_eq!(stop_of(&mut turn).await, StopReason::EndTurn);
}

#[tokio::test]
async fn a_lost_connection_ends_the_turn() {
    for is_acknowledged in [false, true] {
        let mut ready = ready().await;
        let (mut turn, call) = ready.begin().await;
        if is_acknowledged {
            ready.acknowledge(&call).await;
            ready.running().await;
            ready.agent.heard().await;
        }
        drop(ready.agent);
        let error = soon(turn.outcome()).await.unwrap_err();
        assert!(matches!(error, TurnError::Disconnected(_)), "{error}");
        assert_eq!(ready.session.snapshot().turn(), TurnState::Idle);
    }
}

#[tokio::test]
async fn the_agent_works_without_a_prompt() {
    let mut ready = ready().await;
    ready.running().await;
    ready.say("The build is done.").await;
    ready.agent.heard().await;
    assert!(matches!(ready.session.snapshot().turn(), TurnState::Running { .. }));
    // A prompt comes during that work, whose end is not the end of the prompt's turn.
    let (mut turn, call) = ready.begin().await;
    ready.ended("end_turn").await;
    goes_on(&mut ready, &turn).await;
    assert!(matches!(ready.session.snapshot().turn(), TurnState::Running { .. }));
    ready.running().await;
    ready.acknowledge(&call).await;
    ready.ended("end_turn").await;
    assert_eq!(stop_of(&mut turn).await, StopReason::EndTurn);
    // The person cancels the agent's own work.
    ready.running().await;
    ready.agent.heard().await;
    ready.session.cancel();
    ready.agent.expect("session/cancel").await;
    ready.ended("cancelled").await;
    ready.agent.heard().await;
    assert_eq!(ready.session.snapshot().turn(), TurnState::Idle);
}

#[tokio::test]
async fn the_prompt_appears_once_however_the_agent_repeats_it() {
    let text = |text: &str| json!({ "type": "text", "text": text });
    let whole = |id: &str, content: &str| json!({ "sessionUpdate": "user_message", "messageId": id, "content": [text(content)] });
    let chunk = |id: &str, content: &str| json!({ "sessionUpdate": "user_message_chunk", "messageId": id, "content": text(content) });
    for (before, after) in [
        (vec![whole("m1", "go")], vec![]),
        (vec![], vec![whole("m1", "go")]),
        (vec![whole("m1", "go")], vec![whole("m1", "go")]),
        (vec![chunk("m1", "go")], vec![]),
        (vec![chunk("m1", "g")], vec![chunk("m1", "o")]),
        (vec![], vec![chunk("m1", "g"), chunk("m1", "o")]),
        // The agent stores the prompt in another form.
        (vec![], vec![whole("m1", "go (with a hint)")]),
    ] {
        let mut ready = ready().await;
        let (mut turn, call) = ready.begin().await;
        for update in &before {
            ready.agent.update("s1", update.clone()).await;
        }
        ready.acknowledge(&call).await;
        ready.running().await;
        for update in &after {
            ready.agent.update("s1", update.clone()).await;
        }
        ready.say("ok").await;
        ready.ended("end_turn").await;
        stop_of(&mut turn).await;
        assert_eq!(messages(&ready), ["user: go", "agent: ok"], "{before:?} {after:?}");
    }
    // A message of another person is shown.
    let mut ready = ready().await;
    let (mut turn, call) = ready.begin().await;
    ready.acknowledge(&call).await;
    ready.agent.update("s1", whole("m2", "go")).await;
    ready.ended("end_turn").await;
    stop_of(&mut turn).await;
    assert_eq!(messages(&ready), ["user: go", "user: go"]);
}

#[tokio::test]
async fn shapes_of_version_1_are_shown_or_refused_and_nothing_hangs() {
    let mut ready = ready().await;
    let (mut turn, call) = ready.begin().await;
    ready.acknowledge(&call).await;
    for update in [
        json!({ "sessionUpdate": "tool_call", "toolCallId": "t", "title": "Look" }),
        json!({ "sessionUpdate": "plan", "entries": [] }),
        json!({ "sessionUpdate": "current_mode_update", "currentModeId": "code" }),
    ] {
        ready.agent.update("s1", update).await;
    }
    // A chunk without an id is not valid in version 2, and is dropped.
    let content = json!({ "type": "text", "text": "lost" });
    ready
        .agent
        .update("s1", json!({ "sessionUpdate": "agent_message_chunk", "content": content }))
        .await;
    for (id, method, params) in [
        (1, "fs/read_text_file", json!({ "sessionId": "s1", "path": "/etc/passwd" })),
        (2, "fs/write_text_file", json!({ "sessionId": "s1", "path": "/tmp/x", "content": "" })),
        (3, "terminal/create", json!({ "sessionId": "s1", "command": "true" })),
    ] {
        ready.agent.call(id, method, params).await;
        assert_eq!(ready.agent.answer_to(id).await["error"]["code"], -32601, "{method}");
    }
    let call = json!({ "toolCallId": "t" });
    let options = json!([{ "optionId": "y", "name": "Yes", "kind": "allow_once" }]);
    let params = json!({ "sessionId": "s1", "toolCall": call, "options": options });
    ready.agent.call(4, "session/request_permission", params).await;
    assert_eq!(ready.agent.answer_to(4).await["error"]["code"], -32602, "no title");
    ready.ended("end_turn").await;
    assert_eq!(stop_of(&mut turn).await, StopReason::EndTurn);
    let session = ready.session.snapshot();
    let unknown = session.entries().iter().filter_map(|entry| match &entry.content {
        EntryContent::Unknown { name, .. } => Some(name.clone()),
        _ => None,
    });
    assert_eq!(unknown.collect::<Vec<_>>(), ["tool_call", "plan", "current_mode_update"]);
    assert_eq!(messages(&ready), ["user: go"]);
}

#[tokio::test]
async fn a_flood_of_updates_arrives_complete() {
    let mut ready = ready().await;
    let (mut turn, call) = ready.begin().await;
    ready.acknowledge(&call).await;
    ready.running().await;
    let line = json!({ "jsonrpc": "2.0", "method": "session/update", "params": { "sessionId": "s1",
        "update": { "sessionUpdate": "agent_message_chunk", "messageId": "a1",
            "content": { "type": "text", "text": "x" } } } });
    let lines = format!("{line}\n").repeat(1000);
    for _ in 0..100 {
        ready.agent.send_text(&lines).await;
        ready.running().await;
    }
    ready.ended("end_turn").await;
    assert_eq!(stop_of(&mut turn).await, StopReason::EndTurn);
    assert_eq!(ready.session.snapshot().entries().iter().last().unwrap().text().len(), 100_000);
}
