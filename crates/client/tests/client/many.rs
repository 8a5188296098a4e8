//! Many sessions on one connection, with turns, questions and cancels at the same time.

use crate::scripted_agent::{ScriptedAgent, connected, soon};
use attache_client::{Decision, Permissions, SessionHandle};
use attache_session::TurnState;
use serde_json::{Value, json};
use std::collections::HashMap;

const SESSIONS: u64 = 8;
const TURNS: u64 = 40;

/// An agent that asks for permission in every other turn, and ends such a turn when the turn is
/// cancelled or the question is answered. It ends the turns in between at once.
async fn serve(mut agent: ScriptedAgent) {
    let mut prompts: HashMap<String, Value> = HashMap::new();
    let (mut sessions, mut questions) = (0, 0);
    let mut asked: HashMap<u64, String> = HashMap::new();
    while let Some(message) = agent.next().await {
        let session = message["params"]["sessionId"].as_str().unwrap_or_default().to_owned();
        match message["method"].as_str() {
            Some("session/new") => {
                sessions += 1;
                agent.reply(&message, json!({ "sessionId": format!("s{sessions}") })).await;
            }
            Some("session/prompt") => {
                questions += 1;
                let text = json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": "x" } });
                agent.update(&session, text).await;
                if questions % 2 == 0 {
                    let params = json!({ "sessionId": session, "toolCall": { "toolCallId": "t", "title": "T" }, "options": [] });
                    agent.call(questions, "session/request_permission", params).await;
                    asked.insert(questions, session.clone());
                    assert!(prompts.insert(session, message).is_none(), "one turn at a time");
                } else {
                    agent.reply(&message, json!({ "stopReason": "end_turn" })).await;
                }
            }
            Some("session/cancel") => {
                if let Some(prompt) = prompts.remove(&session) {
                    agent.reply(&prompt, json!({ "stopReason": "cancelled" })).await;
                }
            }
            // Dropping the connection drops replies that are on their way to their callers, so
            // every turn must have ended by then.
            Some("$/cancel_request") => {
                let given_up = &message["params"]["requestId"];
                assert!(prompts.values().all(|prompt| prompt["id"] != *given_up), "{message}");
            }
            Some(other) => panic!("{other}"),
            None => {
                let session =
                    asked.remove(&message["id"].as_u64().unwrap()).expect("answered once");
                if let Some(prompt) = prompts.remove(&session) {
                    agent.reply(&prompt, json!({ "stopReason": "end_turn" })).await;
                }
            }
        }
    }
}

/// Runs turns that are watched, cancelled or dropped, depending on the number.
async fn use_up(session: SessionHandle, seed: u64) {
    for number in 0..TURNS {
        let mut watch = session.watch();
        let mut turn = session.prompt("go").await.unwrap();
        match (seed + number) % 4 {
            0 => while turn.next().await.is_some() {},
            1 => turn.cancel(),
            2 => drop(turn.next().await),
            _ => {
                drop(turn);
                while session.snapshot().turn() != TurnState::Idle {
                    watch.next().await.unwrap();
                }
                continue;
            }
        }
        turn.outcome().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_turn_of_many_sessions_ends_exactly_once() {
    let folder = tempfile::tempdir().unwrap();
    let (connection, agent) = connected(json!({})).await;
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(serve(agent));
    let mut users = tokio::task::JoinSet::new();
    for seed in 0..SESSIONS {
        let permissions = Permissions::ask(|_| async {
            tokio::task::yield_now().await;
            Decision::Reject
        });
        let session = connection.open(folder.path()).permissions(permissions).await.unwrap();
        users.spawn(use_up(session, seed));
    }
    while let Some(user) = soon(users.join_next()).await {
        user.unwrap();
    }
    drop(connection);
    soon(tasks.join_next()).await.unwrap().unwrap();
}
