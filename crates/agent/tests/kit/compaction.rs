use super::client::cancel;
use super::{Client, acts};
use attache_agent::{Author, serve};
use attache_session::MemoryStore;
use serde_json::{Value, json};

fn compacting() -> impl Author {
    acts(|turn| async move {
        let mut compaction = turn.compaction().await?;
        match turn.text() {
            "fail" => compaction.fail("no room").await?,
            "drop" => drop(compaction),
            "forget" => std::mem::forget(compaction),
            "fail late" => {
                compaction.summary("a").await?;
                compaction.fail("no room").await?;
            }
            "wait" => {
                compaction.summary("a").await?;
                turn.cancelled().await;
            }
            "silent" => compaction.complete().await?,
            _ => {
                compaction.summary("a").await?;
                compaction.summary("b").await?;
                compaction.complete().await?;
                turn.compaction().await?.complete().await?;
            }
        }
        Ok(())
    })
}

fn takes() -> Value {
    json!({"session": {"compaction": {}}})
}

async fn updates(text: &str) -> Vec<Value> {
    let mut client = Client::with(compacting(), takes()).await;
    let session = client.session().await;
    client.turn(&session, text).await.1
}

fn statuses(updates: &[Value]) -> Vec<&str> {
    updates.iter().filter_map(|update| update["status"].as_str()).collect()
}

/// COMP-02, COMP-03, COMP-04.
#[tokio::test(start_paused = true)]
async fn a_compaction_begins_sends_its_summary_and_ends_once() {
    let updates = updates("all").await;
    let kinds: Vec<&str> =
        updates.iter().map(|update| update["sessionUpdate"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        [
            "compaction_update",
            "compaction_summary_chunk",
            "compaction_summary_chunk",
            "compaction_update",
            "compaction_update",
            "compaction_update"
        ]
    );
    assert_eq!(statuses(&updates), ["in_progress", "completed", "in_progress", "completed"]);
    assert!(updates[..4].iter().all(|update| update["compactionId"] == updates[0]["compactionId"]));
    assert_ne!(updates[4]["compactionId"], updates[0]["compactionId"]);
    assert!(updates[3].get("summary").is_none(), "the pieces are the summary");
}

/// COMP-03, COMP-08.
#[tokio::test(start_paused = true)]
async fn an_unfinished_compaction_fails_without_a_summary() {
    for (text, last) in [
        ("fail", json!({"status": "failed", "error": "no room"})),
        ("fail late", json!({"status": "failed", "error": "no room", "summary": null})),
        ("drop", json!({"status": "failed"})),
        ("forget", json!({"status": "failed"})),
    ] {
        let mut updates = updates(text).await;
        assert_eq!(statuses(&updates), ["in_progress", "failed"], "{text}");
        let mut found = updates.pop().unwrap();
        for key in ["sessionUpdate", "compactionId"] {
            found.as_object_mut().unwrap().remove(key);
        }
        assert_eq!(found, last);
    }
}

/// COMP-03, COMP-08.
#[tokio::test(start_paused = true)]
async fn a_compaction_is_cancelled_with_its_turn() {
    let mut client = Client::with(compacting(), takes()).await;
    let session = client.session().await;
    let turn = client.prompt(&session, "wait").await;
    client.arrives("session/update").await;
    client.send(&[cancel(&session)]).await;
    assert_eq!(client.reply(turn).await["result"]["stopReason"], "cancelled");
    let last = client.updates().pop().unwrap();
    assert_eq!((&last["status"], last.get("summary")), (&json!("cancelled"), Some(&Value::Null)));
}

/// COMP-01, COMP-07, COMP-11.
#[tokio::test(start_paused = true)]
async fn compactions_are_logged_for_clients_that_support_them_later() {
    let store = MemoryStore::new();
    let mut client = Client::silent(serve(compacting()).store(store.clone()));
    client.result("initialize", json!({"protocolVersion": 1})).await;
    let session = client.session().await;
    let (_, updates) = client.turn(&session, "all").await;
    assert!(updates.is_empty());
    client.result("session/close", json!({"sessionId": session})).await;
    let mut client = Client::silent(serve(compacting()).store(store));
    client.result("initialize", json!({"protocolVersion": 1, "clientCapabilities": takes()})).await;
    let mut params = super::client::new();
    params["sessionId"] = json!(session);
    client.result("session/load", params).await;
    let replayed = client.updates();
    let compactions: Vec<&Value> =
        replayed.iter().filter(|update| update["sessionUpdate"] == "compaction_update").collect();
    assert_eq!(compactions.last().unwrap()["status"], "completed");
    assert!(
        replayed.iter().any(|update| update["sessionUpdate"] == "user_message_chunk"),
        "no message is removed"
    );
}

/// COMP-01.
#[tokio::test(start_paused = true)]
async fn clients_without_compactions_receive_none() {
    for capabilities in [json!({}), json!({"session": {"compaction": true}})] {
        let mut client = Client::with(compacting(), capabilities).await;
        let session = client.session().await;
        let (reply, updates) = client.turn(&session, "all").await;
        assert_eq!(reply["result"]["stopReason"], "end_turn");
        assert!(updates.is_empty());
    }
}
