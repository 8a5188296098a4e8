//! Authors that panic or never return, and connections that end in a turn.

use super::client::new;
use super::keeper::Opens;
use super::load::load;
use super::store::key;
use super::{Keeper, TestStore};
use attache_protocol::v1::StopReason;
use attache_protocol::v2::ToolCallStatus;
use attache_session::{EventBody, Store, TurnOutcome, TurnState};
use serde_json::json;

/// A panic while a session is opened is an error of that call. The session does not change.
#[tokio::test(start_paused = true)]
async fn a_panic_while_opening_opens_nothing_and_locks_nothing() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let session = client.session().await;
    client.turn(&session, "everything").await;
    client.hang_up().await.unwrap();
    let before = store.events(&session);
    let mut client = store.client(Keeper::that(Opens::Panics)).await;
    for method in ["session/load", "session/resume", "session/fork"] {
        let error = client.error(method, load(&session)).await;
        assert_eq!(error["code"], -32603, "{method}: {error}");
        assert_eq!(
            client.result("session/status", json!({"sessionId": session})).await["status"],
            "saved"
        );
    }
    assert_eq!(client.error("session/new", new()).await["code"], -32603);
    assert_eq!(
        client.result("session/list", json!({})).await["sessions"].as_array().unwrap().len(),
        1
    );
    assert_eq!(store.events(&session), before);
}

/// CANCEL-14: an author that never returns can be cancelled, however the session is opened.
#[tokio::test(start_paused = true)]
async fn an_author_that_never_returns_can_be_cancelled() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let session = client.session().await;
    client.hang_up().await.unwrap();
    let before = store.events(&session);
    let author = Keeper::that(Opens::Never);
    let mut client = store.client(author.clone()).await;
    for (method, params) in [
        ("session/new", new()),
        ("session/load", load(&session)),
        ("session/resume", load(&session)),
        ("session/fork", load(&session)),
    ] {
        let id = client.start(method, params).await;
        while author.noted().is_empty() {
            client.settle().await;
        }
        let cancel =
            json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": id}});
        client.send(&[cancel]).await;
        assert_eq!(client.reply(id).await["error"]["code"], -32800, "{method}");
        assert_eq!(
            client.result("session/list", json!({})).await["sessions"].as_array().unwrap().len(),
            1
        );
    }
    assert_eq!(store.events(&session), before);
    drop(store.inner.open(&key(&session)).expect("the session is free"));
}

/// If the connection ends in a turn, the log ends the turn and the session is free, whether or not
/// the author stops.
#[tokio::test(start_paused = true)]
async fn the_log_ends_a_turn_whose_connection_ends() {
    for text in ["tool", "ignore"] {
        let store = TestStore::new();
        let mut client = store.client(Keeper::default()).await;
        let session = client.session().await;
        client.prompt(&session, text).await;
        while client.arrives("session/update").await["params"]["update"]["sessionUpdate"]
            != "agent_message_chunk"
        {}
        client.hang_up().await.unwrap();
        let stored = store.session(&session);
        assert_eq!(stored.turn(), TurnState::Idle, "{text}");
        let outcome = stored.last_outcome().unwrap();
        assert!(
            matches!(outcome, TurnOutcome::Failed(_) | TurnOutcome::Stopped(StopReason::Cancelled)),
            "{outcome:?}"
        );
        for event in store.events(&session) {
            if let EventBody::ToolCall(call) = event.body {
                let settled = stored.tool_call(&call.tool_call_id).unwrap();
                assert_eq!(settled.status, ToolCallStatus::Failed, "TOOL-09");
            }
        }
        let mut client = store.client(Keeper::default()).await;
        client.result("session/load", load(&session)).await;
        client.turn(&session, "say x").await;
    }
}

/// SESS-23: a closed session accepts nothing more, and all its events are stored.
#[tokio::test(start_paused = true)]
async fn a_turn_that_fails_or_panics_is_stored_too() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let session = client.session().await;
    for text in ["fail", "panic"] {
        let (reply, _) = client.turn(&session, text).await;
        assert_eq!(reply["error"]["code"], -32603);
        let stored = store.session(&session);
        assert!(matches!(stored.last_outcome(), Some(TurnOutcome::Failed(_))), "{text}");
        assert_eq!(stored.entries().last().unwrap().text(), text);
    }
}
