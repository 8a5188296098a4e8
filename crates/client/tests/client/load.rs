//! Loads whose replay does not finish.

use crate::scripted_agent::{ScriptedAgent, connected, opened, soon};
use attache_client::{AgentConnection, OpenError, PromptError, SessionHandle};
use serde_json::json;
use std::future::{Future, IntoFuture};

async fn ready() -> (AgentConnection, ScriptedAgent, SessionHandle, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let (connection, mut agent) = connected(json!({ "loadSession": true })).await;
    let session = opened(&connection, &mut agent, folder.path()).await;
    agent.say("live").await;
    agent.heard().await;
    (connection, agent, session, folder)
}

fn texts(session: &SessionHandle) -> Vec<String> {
    session.snapshot().entries().iter().map(|entry| entry.text()).collect()
}

/// Begins a load and drops it once the agent has replayed a part of the history. Returns the call
/// that the agent received.
async fn given_up(
    load: impl IntoFuture<Output = Result<SessionHandle, OpenError>>,
    agent: &mut ScriptedAgent,
) -> serde_json::Value {
    let mut load = std::pin::pin!(load.into_future());
    let replaying = async {
        let call = agent.expect("session/load").await;
        agent.say("stored 1").await;
        agent.heard().await;
        call
    };
    let mut replaying = std::pin::pin!(replaying);
    let call = std::future::poll_fn(|context| {
        assert!(load.as_mut().poll(context).is_pending());
        replaying.as_mut().poll(context)
    });
    call.await
}

/// SESS-12, SESS-14.
#[tokio::test]
async fn updates_after_a_failed_load_belong_to_the_session_at_once() {
    let (connection, mut agent, session, folder) = ready().await;
    let mut load = std::pin::pin!(connection.load("s1", folder.path()).into_future());
    let failing = async {
        let call = agent.expect("session/load").await;
        agent.say("stored 1").await;
        // One write, so that the update is folded before the waiting caller wakes.
        let refusal = json!({ "jsonrpc": "2.0", "id": call["id"], "error": { "code": -32603, "message": "disk on fire" } });
        let update = json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": ", news" } });
        let news = json!({ "jsonrpc": "2.0", "method": "session/update", "params": { "sessionId": "s1", "update": update } });
        agent.send_text(&format!("{refusal}\n{news}\n")).await;
    };
    let (loaded, ()) = tokio::join!(load.as_mut(), failing);
    assert!(loaded.unwrap_err().to_string().contains("disk on fire"));
    agent.heard().await;
    assert_eq!(texts(&session), ["live, news"]);
}

/// SESS-12, SESS-14.
#[tokio::test]
async fn the_rest_of_an_abandoned_replay_is_dropped() {
    let (connection, mut agent, session, folder) = ready().await;
    let mut watch = session.watch();
    let call = given_up(connection.load("s1", folder.path()), &mut agent).await;
    assert_eq!(agent.expect("$/cancel_request").await["params"]["requestId"], call["id"]);
    agent.say("stored 2").await;
    agent.reply(&call, json!({})).await;
    agent.say(", news").await;
    agent.heard().await;
    assert_eq!(texts(&session), ["live, news"], "the answer came too late to replace anything");
    let update = soon(watch.next()).await.unwrap();
    assert!(!update.replaced);
}

/// SESS-12.
#[tokio::test]
async fn a_session_whose_load_is_never_answered_can_be_used_and_loaded_again() {
    let (connection, mut agent, session, folder) = ready().await;
    given_up(connection.load("s1", folder.path()), &mut agent).await;
    agent.expect("$/cancel_request").await;
    let mut turn = session.prompt("go").await.unwrap();
    let call = agent.expect("session/prompt").await;
    agent.say("answer").await;
    agent.reply(&call, json!({ "stopReason": "end_turn" })).await;
    soon(turn.outcome()).await.unwrap();
    assert_eq!(texts(&session), ["live", "go", "answer"]);

    given_up(connection.load("s1", folder.path()), &mut agent).await;
    agent.expect("$/cancel_request").await;
    let replaying = async {
        let call = agent.expect("session/load").await;
        agent.say("stored").await;
        agent.reply(&call, json!(null)).await;
    };
    let (loaded, ()) = tokio::join!(connection.load("s1", folder.path()).into_future(), replaying);
    assert_eq!(texts(&loaded.unwrap()), ["stored"]);
    assert_eq!(texts(&session), ["stored"], "all handles are of one session");
}

/// SESS-12.
#[tokio::test]
async fn a_connection_that_ends_in_a_replay_leaves_the_session_as_it_was() {
    let (connection, mut agent, session, folder) = ready().await;
    let dying = async {
        agent.expect("session/load").await;
        agent.say("stored 1").await;
        agent.heard().await;
        drop(agent);
    };
    let (loaded, ()) = tokio::join!(connection.load("s1", folder.path()).into_future(), dying);
    assert!(matches!(loaded, Err(OpenError::Call(_))));
    assert_eq!(texts(&session), ["live"]);
}

/// SESS-12.
#[tokio::test]
async fn two_loads_of_one_session_do_not_mix() {
    let (connection, mut agent, _session, folder) = ready().await;
    let working = async {
        let call = agent.expect("session/load").await;
        assert!(matches!(connection.load("s1", folder.path()).await, Err(OpenError::Busy)));
        agent.say("stored").await;
        agent.reply(&call, json!({})).await;
    };
    let (loaded, ()) = tokio::join!(connection.load("s1", folder.path()).into_future(), working);
    assert_eq!(texts(&loaded.unwrap()), ["stored"]);
}

/// PROMPT-01: a session that the agent is still setting up takes no prompt.
#[tokio::test]
async fn a_session_that_is_being_loaded_takes_no_prompt() {
    let (connection, mut agent, session, folder) = ready().await;
    let mut load = std::pin::pin!(connection.load("s1", folder.path()).into_future());
    let working = async {
        let call = agent.expect("session/load").await;
        assert!(matches!(session.prompt("too soon").await, Err(PromptError::Loading)));
        agent.heard().await; // nothing was sent
        agent.reply(&call, json!({})).await;
    };
    let (loaded, ()) = tokio::join!(load.as_mut(), working);
    let _turn = soon(loaded.unwrap().prompt("go")).await.unwrap();
    agent.expect("session/prompt").await;
}
