//! What an author learns when a session is opened.

use super::{Client, TestStore};
use attache_agent::{About, Author, Opening, Result, SessionHandle, StopReason, Turn, serve};
use attache_session::MemoryStore;
use serde_json::json;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

/// An author that keeps the handles of its sessions and all its turns.
#[derive(Clone, Default)]
struct Handles(Arc<Mutex<Vec<SessionHandle>>>, Arc<Mutex<Vec<Turn>>>);

impl Author for Handles {
    type Memory = Vec<u64>;

    fn about(&self) -> About {
        About::new("handles", "1")
    }

    async fn open(&self, opening: Opening<'_>) -> Result<Vec<u64>> {
        self.0.lock().unwrap().push(opening.handle());
        opening.remembered()
    }

    async fn turn(&self, _: &mut Vec<u64>, turn: &Turn) -> Result<StopReason> {
        self.1.lock().unwrap().push(turn.clone());
        match turn.text().parse::<u64>() {
            Ok(number) => turn.remember(&number).await?,
            Err(_) => turn.remember(turn.text()).await?,
        }
        Ok(StopReason::EndTurn)
    }
}

/// SESS-25, SESS-27: a handle works between turns. It has no effect on a closed session, even after
/// a load opens the session again.
#[tokio::test(start_paused = true)]
async fn a_handle_ends_with_its_session() {
    let (author, store) = (Handles::default(), MemoryStore::new());
    let mut client = Client::silent(serve(author.clone()).store(store));
    client.result("initialize", json!({"protocolVersion": 1})).await;
    let session = client.session().await;
    let first = author.0.lock().unwrap()[0].clone();
    first.title("One").await.unwrap();
    assert_eq!(client.arrives("session/update").await["params"]["update"]["title"], "One");
    client.result("session/close", json!({"sessionId": session})).await;
    assert!(first.title("Two").await.is_err());
    client.result("session/load", super::load::load(&session)).await;
    assert!(first.title("Two").await.is_err());
    let second = author.0.lock().unwrap()[1].clone();
    client.updates();
    second.title("Three").await.unwrap();
    assert_eq!(client.arrives("session/update").await["params"]["update"]["title"], "Three");
}

/// A record that the author cannot read is an error that names it. An author that can read it can
/// open the session.
#[tokio::test(start_paused = true)]
async fn a_record_of_another_shape_is_an_error() {
    let mut client = Client::silent(serve(Handles::default()).store(MemoryStore::new()));
    client.result("initialize", json!({"protocolVersion": 1})).await;
    let session = client.session().await;
    client.turn(&session, "no number").await;
    client.result("session/close", json!({"sessionId": session})).await;
    let error = client.error("session/load", super::load::load(&session)).await;
    assert_eq!(error["code"], -32603);
    let message = error["message"].as_str().unwrap();
    assert!(
        message.starts_with(&format!("the record 0 of the session {session} cannot be read: ")),
        "{error}"
    );
}

/// SESS-23: an author that holds a finished turn does not keep the session open, whether it was
/// closed or its connection ended.
#[tokio::test(start_paused = true)]
async fn a_finished_turn_does_not_keep_its_session_open() {
    let (author, store) = (Handles::default(), TestStore::new());
    let mut client = Client::silent(serve(author.clone()).store(store.clone()));
    client.result("initialize", json!({"protocolVersion": 1})).await;
    let session = client.session().await;
    client.turn(&session, "1").await;
    client.result("session/close", json!({"sessionId": session})).await;
    client.result("session/load", super::load::load(&session)).await;
    client.turn(&session, "2").await;
    client.hang_up().await.unwrap();
    let mut client = Client::silent(serve(author.clone()).store(store));
    client.result("initialize", json!({"protocolVersion": 1})).await;
    client.result("session/load", super::load::load(&session)).await;
    for turn in author.1.lock().unwrap().drain(..) {
        assert!(turn.is_cancelled() || turn.session().options().is_err());
    }
}

/// Updates between turns, which no reply confirms, are stored at the latest when the connection
/// ends.
#[tokio::test(start_paused = true)]
async fn the_last_updates_are_stored_when_the_connection_ends() {
    let (author, store) = (Handles::default(), TestStore::new());
    let mut client = Client::silent(serve(author.clone()).store(store.clone()));
    client.result("initialize", json!({"protocolVersion": 1})).await;
    client.session().await;
    let handle = author.0.lock().unwrap()[0].clone();
    handle.title("Last words").await.unwrap();
    let commits = store.control.commits.load(Ordering::SeqCst);
    client.hang_up().await.unwrap();
    assert_eq!(store.control.commits.load(Ordering::SeqCst), commits + 1);
}

/// The number of updates behind a reply that waits for the disk is bounded.
#[tokio::test(start_paused = true)]
async fn a_handle_waits_for_a_slow_disk() {
    let (author, store) = (Handles::default(), TestStore::new());
    let mut client = Client::silent(serve(author.clone()).store(store.clone()));
    client.result("initialize", json!({"protocolVersion": 1})).await;
    store.hold();
    let opening = client.start("session/new", super::client::new()).await;
    while author.0.lock().unwrap().is_empty() {
        client.result("session/list", json!({})).await;
    }
    let handle = author.0.lock().unwrap()[0].clone();
    let said = Arc::new(Mutex::new(0));
    let mut tasks = tokio::task::JoinSet::new();
    let counted = Arc::clone(&said);
    tasks.spawn(async move {
        for used in 0..1000 {
            handle.usage(used, 1000, None).await.unwrap();
            *counted.lock().unwrap() += 1;
        }
    });
    // The clock is paused, so this time passes only when no task can proceed.
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    let said_early = *said.lock().unwrap();
    assert!((200..300).contains(&said_early), "{said_early} updates wait for the disk");
    store.go_on();
    assert_eq!(client.next().await["id"], opening, "SESS-26");
    tasks.join_all().await;
    client.settle().await;
    assert_eq!(client.updates().len(), 1000);
}
