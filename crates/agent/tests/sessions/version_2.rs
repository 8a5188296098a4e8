//! Stored sessions over version 2.

use super::load::kinds;
use super::store::is_full;
use super::{Client, Keeper, TestStore};
use attache_agent::serve;
use serde_json::{Value, json};

async fn connect(store: &TestStore) -> Client {
    let mut client = Client::silent(serve(Keeper::default()).store(store.clone()));
    let info = json!({"name": "c", "version": "1"});
    client.result("initialize", json!({"protocolVersion": 2, "info": info})).await;
    client
}

fn resume(session: &str, replay: Value) -> Value {
    json!({"sessionId": session, "cwd": env!("CARGO_MANIFEST_DIR"), "replayFrom": replay})
}

/// Runs a turn to its end and returns its updates.
async fn turn(client: &mut Client, session: &str, text: &str) -> Vec<Value> {
    client.prompt(session, text).await;
    let mut updates = Vec::new();
    loop {
        let update = client.arrives("session/update").await["params"]["update"].take();
        updates.push(update.clone());
        if update["state"] == "idle" {
            return updates;
        }
    }
}

/// V2-25, V2-26, V2-74. The messages of a replay have the ids under which they were sent.
#[tokio::test(start_paused = true)]
async fn a_resume_replays_the_session_from_the_start_if_asked() {
    let store = TestStore::new();
    let mut client = connect(&store).await;
    let session = client.session().await;
    let live = turn(&mut client, &session, "everything").await;
    client.hang_up().await.unwrap();

    let ids = |updates: &[Value]| {
        let mut ids: Vec<_> = updates
            .iter()
            .filter_map(|update| update.get("messageId").or(update.get("toolCallId")))
            .map(|id| id.as_str().unwrap().to_owned())
            .collect();
        ids.dedup();
        ids
    };
    for (replay, expected) in [(json!({"type": "start"}), ids(&live)), (Value::Null, Vec::new())] {
        let mut client = connect(&store).await;
        let reply = client.result("session/resume", resume(&session, replay)).await;
        assert_eq!(reply["configOptions"][0]["configId"], "mode");
        let updates = client.updates();
        let mut replayed = ids(&updates);
        replayed.retain(|id| expected.contains(id));
        assert_eq!(replayed.len(), ids(&updates).len(), "{updates:?}");
        assert_eq!(replayed, expected);
        let last = updates.last().unwrap();
        assert_eq!(
            (&last["sessionUpdate"], &last["state"]),
            (&json!("state_update"), &json!("idle"))
        );
        assert!(last.get("stopReason").is_none(), "V2-32");
        let again = turn(&mut client, &session, "say on").await;
        assert_eq!(again.last().unwrap()["stopReason"], "end_turn");
        client.hang_up().await.unwrap();
    }
}

/// V2-17.
#[tokio::test(start_paused = true)]
async fn an_unknown_replay_is_refused() {
    let store = TestStore::new();
    let mut client = connect(&store).await;
    let session = client.session().await;
    client.result("session/close", json!({"sessionId": session})).await;
    for cursor in [json!({"type": "later"}), json!({"type": 1}), json!("start"), json!({})] {
        let error = client.error("session/resume", resume(&session, cursor.clone())).await;
        assert_eq!(error["code"], -32602, "{cursor}");
    }
    let error = client.error("session/resume", resume("unknown", Value::Null)).await;
    assert_eq!((&error["code"], &error["data"]["sessionId"]), (&json!(-32002), &json!("unknown")));
    client.result("session/resume", resume(&session, Value::Null)).await;
}

/// A session of version 1 continues in version 2, and the reverse.
#[tokio::test(start_paused = true)]
async fn a_session_moves_between_versions() {
    let store = TestStore::new();
    let mut first = store.client(Keeper::default()).await;
    let session = first.session().await;
    first.turn(&session, "everything").await;
    first.hang_up().await.unwrap();

    let mut second = connect(&store).await;
    second.result("session/resume", resume(&session, json!({"type": "start"}))).await;
    let replayed = second.updates();
    assert!(kinds(&replayed).contains(&"user_message"), "{replayed:?}");
    assert!(!kinds(&replayed).contains(&"tool_call"), "{replayed:?}");
    turn(&mut second, &session, "say two").await;
    second.hang_up().await.unwrap();

    let mut third = store.client(Keeper::default()).await;
    third.result("session/load", super::load::load(&session)).await;
    let replayed = third.updates();
    assert!(kinds(&replayed).contains(&"tool_call"), "{replayed:?}");
    let texts: Vec<_> =
        replayed.iter().filter_map(|update| update["content"]["text"].as_str()).collect();
    assert!(texts.contains(&"two"), "{texts:?}");
    assert!(!kinds(&replayed).iter().any(|kind| kind.starts_with("state")), "{replayed:?}");
}

/// V2-76: the message is in the conversation, so the prompt is no error, but its turn fails.
#[tokio::test(start_paused = true)]
async fn the_turn_of_a_prompt_that_cannot_be_stored_fails() {
    let store = TestStore::new();
    let mut client = connect(&store).await;
    let session = client.session().await;
    client.settle().await;
    client.updates();
    store.fails(true);
    let failed = turn(&mut client, &session, "say x").await;
    assert_eq!(kinds(&failed), ["state_update", "user_message", "state_update"]);
    is_full(&failed.last().unwrap()["error"]);
    store.fails(false);
    let again = turn(&mut client, &session, "say on").await;
    assert_eq!(again.last().unwrap()["stopReason"], "end_turn");
}
