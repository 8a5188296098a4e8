//! A full disk.

use super::client::{cancel, new};
use super::load::load;
use super::store::is_full;
use super::{Client, Keeper, TestStore};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;

async fn session(client: &mut Client) -> String {
    let session = client.session().await;
    client.settle().await;
    client.updates();
    session
}

/// Events that cannot be stored are not confirmed. The session stays usable, and a later commit
/// stores them.
#[tokio::test(start_paused = true)]
async fn unstored_changes_are_not_confirmed() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let session = session(&mut client).await;
    for (method, params) in [
        ("session/prompt", super::client::prompt(&session, "say x")),
        (
            "session/set_config_option",
            json!({"sessionId": session, "configId": "model", "value": "large"}),
        ),
        ("session/set_mode", json!({"sessionId": session, "modeId": "code"})),
        ("session/set_title", json!({"sessionId": session, "title": "Mine"})),
        ("session/fork", load(&session)),
        ("session/close", json!({"sessionId": session})),
        ("session/archive", json!({"sessionId": session})),
    ] {
        store.fails(true);
        is_full(&client.error(method, params).await);
        store.fails(false);
        let (reply, _) = client.turn(&session, "say on").await;
        assert_eq!(reply["result"]["stopReason"], "end_turn", "{method}");
    }
    assert_eq!(
        client.result("session/list", json!({"archived": "include"})).await["sessions"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    // The state in memory applies: changes that failed only because of the disk are in effect.
    client.result("session/close", json!({"sessionId": session})).await;
    let loaded = client.result("session/load", load(&session)).await;
    assert_eq!(loaded["modes"]["currentModeId"], "code");
    assert_eq!(loaded["configOptions"][1]["currentValue"], "large");
    assert_eq!(store.session(&session).info().title(), Some("Mine"));
}

/// SESS-01: a session whose beginning cannot be stored is not created.
#[tokio::test(start_paused = true)]
async fn a_session_that_cannot_be_stored_is_not_created() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let source = session(&mut client).await;
    store.fails(true);
    is_full(&client.error("session/new", new()).await);
    is_full(&client.error("session/fork", load(&source)).await);
    store.fails(false);
    client.settle().await;
    let listed = client.result("session/list", json!({})).await;
    assert_eq!(listed["sessions"].as_array().unwrap().len(), 1, "{listed}");
    assert_eq!(client.updates(), [] as [Value; 0], "SESS-28: no update is sent about it");
}

/// After a load or resume that cannot be stored, the session can be loaded again.
#[tokio::test(start_paused = true)]
async fn a_load_that_cannot_be_stored_can_be_tried_again() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let session = session(&mut client).await;
    client.result("session/close", json!({"sessionId": session})).await;
    for method in ["session/load", "session/resume"] {
        store.fails(true);
        is_full(&client.error(method, load(&session)).await);
        assert_eq!(
            client.result("session/status", json!({"sessionId": session})).await["status"],
            "saved"
        );
        store.fails(false);
        client.result(method, load(&session)).await;
        client.result("session/close", json!({"sessionId": session})).await;
    }
}

/// CANCEL-02: a cancelled prompt is answered `cancelled`, and a failed one with its own error,
/// whether or not the disk works.
#[tokio::test(start_paused = true)]
async fn outcomes_without_a_promise_do_not_need_the_disk() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let session = session(&mut client).await;
    store.fails(true);
    let (reply, _) = client.turn(&session, "fail").await;
    assert_eq!(reply["error"]["message"], "no luck");
    let turn = client.prompt(&session, "wait").await;
    client.arrives("session/update").await;
    client.send(&[cancel(&session)]).await;
    assert_eq!(client.reply(turn).await["result"]["stopReason"], "cancelled");
    is_full(&client.turn(&session, "say x").await.0["error"]);
}

/// At every commit of a conversation the call is refused or confirmed, and confirmed events are
/// stored.
#[tokio::test(start_paused = true)]
async fn confirmed_events_are_stored_whichever_commit_fails() {
    for failing in 0..8 {
        let store = TestStore::new();
        let mut client = store.client(Keeper::default()).await;
        let session = session(&mut client).await;
        let first = store.control.commits.load(Ordering::SeqCst);
        let mut confirmed = Vec::new();
        for round in 0..8 {
            store.fails(round == failing);
            let text = format!("remember {round}");
            let (reply, _) = client.turn(&session, &text).await;
            match reply.get("error") {
                Some(error) => is_full(error),
                None => confirmed.push(text),
            }
        }
        assert_eq!(confirmed.len(), 7);
        assert_eq!(store.control.commits.load(Ordering::SeqCst) - first, 8, "one for each reply");
        client.hang_up().await.unwrap();
        let stored = store.session(&session);
        let said: Vec<_> = stored.entries().iter().map(|entry| entry.text()).collect();
        assert!(confirmed.iter().all(|text| said.contains(text)), "{said:?}");
    }
}

/// `say` waits for the disk while more than 1 MiB is not stored, so that memory stays bounded with
/// a slow disk.
#[tokio::test(start_paused = true)]
async fn a_slow_disk_slows_the_agent_down() {
    let store = TestStore::new();
    let author = Keeper::default();
    let mut client = store.client(author.clone()).await;
    let session = session(&mut client).await;
    store.hold();
    let turn = client.prompt(&session, "flood").await;
    for _ in 0..30 {
        client.arrives("session/update").await;
    }
    client.settle().await;
    let said: u32 = author.noted().last().unwrap().parse().unwrap();
    assert!((30..40).contains(&said), "{said} pieces of 32 KiB were sent without a commit");
    client.send(&[cancel(&session)]).await;
    store.go_on();
    assert_eq!(client.reply(turn).await["result"]["stopReason"], "cancelled");

    // The turn gets the error of a full disk, and the session continues when there is space again.
    client.updates();
    store.fails(true);
    let (reply, updates) = client.turn(&session, "flood").await;
    is_full(&reply["error"]);
    assert!((30..40).contains(&updates.len()), "{} pieces were sent", updates.len());
    store.fails(false);
    let (reply, updates) = client.turn(&session, "flood").await;
    assert_eq!((&reply["result"]["stopReason"], updates.len()), (&json!("end_turn"), 1000));
}
