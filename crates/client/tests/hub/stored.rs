//! Sessions that are kept in a store.

use crate::scripted_agent::soon;
use crate::started::{idle, scripted, started_with, texts, until};
use attache_client::{AgentSource, Hold, Hub, HubError, HubOptions, SessionFilter, SessionState};
use attache_protocol::method::Side;
use attache_session::{MemoryStore, SessionKey, Store};
use serde_json::json;
use std::sync::Arc;

fn keeping(store: &MemoryStore) -> HubOptions {
    HubOptions::default().store(Arc::new(store.clone()))
}

fn key() -> SessionKey {
    SessionKey { side: Side::Client, agent: "a".to_owned(), session_id: "s1".into() }
}

/// A hub was used and closed: one turn, a prompt that waits, a draft.
async fn used(store: &MemoryStore) -> tempfile::TempDir {
    let mut it = started_with(keeping(store), json!({}), json!({ "sessionId": "s1" })).await;
    it.session.send("one").unwrap();
    it.session.send("two").unwrap();
    let (call, _) = it.agent.prompted().await;
    it.agent.say("answer").await;
    it.agent.refuse(&call, -32603, "out of fuel").await;
    until(&it.session, |session| session.held() == Some(Hold::TurnFailed)).await;
    it.session.set_draft("unsent");
    drop(it.agent);
    soon(it.hub.close()).await;
    it.folder
}

#[tokio::test]
async fn the_history_of_an_agent_that_keeps_none_can_be_read_with_what_was_not_sent() {
    let store = MemoryStore::new();
    let folder = used(&store).await;
    let hub = Hub::new(keeping(&store));
    let (source, mut starts) = scripted();
    hub.add("a", source).unwrap();
    let (session, _agent) = tokio::join!(hub.switch("a", "s1", None).into_future(), starts.next(json!({})));
    let session = session.unwrap();
    assert_eq!(texts(&session)[..2], ["one", "answer"]);
    assert!(matches!(session.state(), SessionState::ReadOnly { .. }), "{:?}", session.state());
    assert_eq!((session.draft().as_str(), session.queue()[0].prompt.clone()), ("unsent", "two".into()));
    assert_eq!(session.cwd(), folder.path());
    assert_eq!(hub.switch("a", "s1", None).await.unwrap(), session, "it is open already");
    assert!(matches!(hub.switch("a", "s9", None).await, Err(HubError::UnknownSession { .. })));
}

#[tokio::test]
async fn a_history_can_be_read_without_its_agent() {
    let store = MemoryStore::new();
    let _folder = used(&store).await;
    let hub = Hub::new(keeping(&store));
    hub.add("a", AgentSource::command("no-such-program-anywhere").unwrap()).unwrap();
    let session = soon(hub.switch("a", "s1", None).into_future()).await.unwrap();
    assert_eq!(texts(&session)[..2], ["one", "answer"]);
    assert!(matches!(session.state(), SessionState::Gone { restarting: false, .. }));
}

/// SESS-12: loaded once more, the log does not grow by the whole history, and folding it gives the session.
#[tokio::test]
async fn a_stored_session_is_loaded_and_its_log_goes_on() {
    let store = MemoryStore::new();
    let _folder = used(&store).await;
    let before = store.summary(&key()).unwrap().sequence;
    let hub = Hub::new(keeping(&store));
    let (source, mut starts) = scripted();
    hub.add("a", source).unwrap();
    let answering = async {
        let mut agent = starts.next(json!({ "loadSession": true })).await;
        let call = agent.expect("session/load").await;
        agent.update("s1", json!({ "sessionUpdate": "user_message_chunk", "content": { "type": "text", "text": "one" } })).await;
        agent.say("answer").await;
        agent.reply(&call, json!({})).await;
        agent
    };
    let (session, mut agent) = tokio::join!(hub.switch("a", "s1", None).into_future(), answering);
    let session = session.unwrap();
    assert_eq!((session.state(), session.held()), (SessionState::Idle, Some(Hold::Restored)));
    session.release();
    let (call, text) = agent.prompted().await;
    assert_eq!(text, "two");
    agent.end_turn(&call).await;
    idle(&session).await;
    session.commit().await.unwrap();
    let log = store.read(&key(), before).unwrap();
    assert!(log.iter().all(|event| event.body != attache_session::EventBody::Replaced), "{log:?}");
    let mut folded = attache_session::Session::new("s1");
    for event in store.read(&key(), 0).unwrap() {
        folded.apply(&event);
    }
    assert_eq!(folded.entries().len(), session.snapshot().entries().len());
}

#[tokio::test]
async fn two_hubs_do_not_write_one_session() {
    let store = MemoryStore::new();
    let _folder = used(&store).await;
    let (one, other) = (Hub::new(keeping(&store)), Hub::new(keeping(&store)));
    for hub in [&one, &other] {
        hub.add("a", AgentSource::command("no-such-program-anywhere").unwrap()).unwrap();
    }
    let session = one.switch("a", "s1", None).await.unwrap();
    let error = other.switch("a", "s1", None).await.unwrap_err();
    assert!(error.to_string().contains("open elsewhere"), "{error}");
    session.close().await.unwrap();
    assert!(one.sessions().is_empty());
    other.switch("a", "s1", None).await.unwrap();
    other.refresh_list();
    let mut watch = other.watch();
    while other.list(&SessionFilter::default()).iter().all(|listed| !listed.stored) {
        soon(watch.next()).await.unwrap();
    }
    assert!(other.list(&SessionFilter::default())[0].open);
    assert_eq!(other.spent().await.unwrap()[0].2.turns, 1);
}
