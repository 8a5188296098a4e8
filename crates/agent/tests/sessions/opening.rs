//! What an author learns when a session is opened.

use super::Client;
use attache_agent::{About, Author, Opening, Result, SessionHandle, StopReason, Turn, serve};
use attache_session::MemoryStore;
use serde_json::json;
use std::sync::{Arc, Mutex};

/// Keeps the handles of its sessions.
#[derive(Clone, Default)]
struct Handles(Arc<Mutex<Vec<SessionHandle>>>);

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
        turn.remember(turn.text()).await?;
        Ok(StopReason::EndTurn)
    }
}

/// SESS-25, SESS-27: a handle speaks between turns, and of a session that is closed it says nothing, though a load of it is open again.
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

/// A record that the author cannot read is an error that names it, and the session can be opened by who can.
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
