//! Checkpoints when a session or a hub is closed.

use crate::folder_checkpoints::{kept, taken};
use crate::started::idle;
use attache_checkpoint::Reason;
use serde_json::json;
use std::fs;
use std::time::Duration;

/// Long enough for a checkpoint of the folder of a test.
const TAKEN: Duration = Duration::from_millis(300);

/// Many files, so that a checkpoint takes a moment.
fn write_files(folder: &std::path::Path) {
    for number in 0..500 {
        fs::write(folder.join(format!("f{number}")), format!("{number}")).unwrap();
    }
}

#[tokio::test]
async fn nothing_is_stored_after_a_session_is_closed_and_deleted() {
    let mut it = kept().await;
    it.it.session.send("go").unwrap();
    let (call, _) = it.it.agent.prompted().await;
    write_files(it.it.folder.path());
    it.it.agent.end_turn(&call).await;
    idle(&it.it.session).await;
    it.it.session.close().await.unwrap();
    let after = it.store.list(None).unwrap().pop().unwrap();
    assert_eq!((after.label.reason, after.complete), (Reason::AfterTurn, true));
    it.store.forget(&it.it.session.checkpoint_owner()).unwrap();
    tokio::time::sleep(TAKEN).await;
    assert!(it.store.list(None).unwrap().is_empty());
}

#[tokio::test]
async fn closing_a_session_in_its_turn_waits_for_the_checkpoint_after_it() {
    let mut it = kept().await;
    it.it.session.send("go").unwrap();
    let (call, _) = it.it.agent.prompted().await;
    write_files(it.it.folder.path());
    let agent = &mut it.it.agent;
    let ending = async {
        agent.expect("session/cancel").await;
        tokio::time::sleep(Duration::from_millis(50)).await;
        agent.reply(&call, json!({ "stopReason": "cancelled" })).await;
    };
    let (closed, ()) = tokio::join!(it.it.session.close(), ending);
    closed.unwrap();
    let last = it.store.list(None).unwrap().pop().unwrap();
    assert_eq!((last.label.reason, last.complete), (Reason::AfterTurn, true));
    assert!(it.it.hub.session("a", it.it.session.id()).is_none());
}

#[tokio::test]
async fn closing_the_hub_in_a_turn_waits_for_the_checkpoint_after_it() {
    let mut it = kept().await;
    it.it.session.send("go").unwrap();
    let _ = it.it.agent.prompted().await;
    assert_eq!(taken(&it.it.session).await.len(), 2);
    write_files(it.it.folder.path());
    let session = it.it.session.clone();
    let (agent, hub) = (it.it.agent, it.it.hub);
    drop(agent);
    hub.close().await;
    drop(session);
    let last = it.store.list(None).unwrap().pop().unwrap();
    assert_eq!((last.label.reason, last.complete), (Reason::AfterTurn, true));
}

#[tokio::test]
async fn a_session_that_stopped_waiting_to_close_is_closed() {
    let mut it = kept().await;
    it.it.session.send("go").unwrap();
    let _ = it.it.agent.prompted().await;
    let closing = tokio::time::timeout(Duration::from_millis(20), it.it.session.close());
    assert!(closing.await.is_err(), "the agent does not end the turn");
    assert!(it.it.hub.session("a", it.it.session.id()).is_none());
}
