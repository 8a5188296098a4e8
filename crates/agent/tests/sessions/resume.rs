use super::load::{kinds, load};
use super::{Keeper, TestStore};
use serde_json::{Value, json};

/// SESS-18, SESS-19, SESS-20, USE-09.
#[tokio::test(start_paused = true)]
async fn a_resumed_session_continues_without_a_replay() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let session = client.session().await;
    client.turn(&session, "remember a").await;
    client.turn(&session, "everything").await;
    client.hang_up().await.unwrap();

    let author = Keeper::default();
    let mut client = store.client(author.clone()).await;
    let resumed = client.result("session/resume", json!({"sessionId": session, "cwd": "/"})).await;
    assert_eq!(client.updates(), [] as [Value; 0]);
    assert_eq!(resumed["modes"]["currentModeId"], "ask");
    assert_eq!(resumed["configOptions"].as_array().unwrap().len(), 4);
    client.settle().await;
    let updates = client.updates();
    assert_eq!(kinds(&updates), ["available_commands_update", "usage_update"]);
    assert_eq!((&updates[1]["used"], &updates[1]["size"]), (&json!(50), &json!(200)));
    assert_eq!(author.noted(), ["Resumed", "8 entries"]);
    let (_, updates) = client.turn(&session, "recall").await;
    assert_eq!(updates[0]["content"]["text"], "a");
}

/// STAT-01, STAT-02: two connections on one store see the same sessions, and each is open in one of
/// them.
#[tokio::test(start_paused = true)]
async fn two_connections_share_a_store() {
    let store = TestStore::new();
    let mut one = store.client(Keeper::default()).await;
    let mut two = store.client(Keeper::default()).await;
    let session = one.session().await;
    let status = json!({"sessionId": session});
    for client in [&mut one, &mut two] {
        assert_eq!(
            client.result("session/status", status.clone()).await,
            json!({"status": "open"})
        );
        assert_eq!(
            client.result("session/list", json!({})).await["sessions"][0]["sessionId"],
            session.as_str()
        );
    }
    for method in ["session/load", "session/resume"] {
        let error = two.error(method, load(&session)).await;
        assert_eq!(error["code"], -32602, "{error}");
        let sentence = format!("the session {session} is open elsewhere: close it there first");
        assert_eq!(error["message"], sentence);
    }
    assert_eq!(two.error("session/delete", status.clone()).await["code"], -32602);
    one.turn(&session, "say from one").await;
    one.result("session/close", status.clone()).await;
    for client in [&mut one, &mut two] {
        assert_eq!(
            client.result("session/status", status.clone()).await,
            json!({"status": "saved"})
        );
    }
    two.result("session/load", load(&session)).await;
    assert_eq!(two.updates()[1]["content"]["text"], "from one");
    assert_eq!(one.result("session/status", status.clone()).await, json!({"status": "open"}));
    let unknown = two.error("session/status", json!({"sessionId": "nope"})).await;
    assert_eq!((&unknown["code"], &unknown["data"]["sessionId"]), (&json!(-32002), &json!("nope")));
}

/// STAT-01: a status query changes nothing, so the stored session can be opened as before.
#[tokio::test(start_paused = true)]
async fn a_status_has_no_effect() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let session = client.session().await;
    client.result("session/close", json!({"sessionId": session})).await;
    let before = store.events(&session);
    for _ in 0..3 {
        client.result("session/status", json!({"sessionId": session})).await;
    }
    assert_eq!(store.events(&session), before);
    client.result("session/resume", load(&session)).await;
}
