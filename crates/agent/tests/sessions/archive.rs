use super::client::prompt;
use super::load::load;
use super::{Client, Keeper, TestStore};
use serde_json::{Value, json};
use std::time::Duration;

async fn listed(client: &mut Client, filter: Value) -> Vec<(String, Value)> {
    let page = client.result("session/list", filter).await;
    let sessions = page["sessions"].as_array().unwrap().iter();
    sessions
        .map(|info| (info["sessionId"].as_str().unwrap().to_owned(), info["archived"].clone()))
        .collect()
}

/// ARCH-02, ARCH-04, ARCH-05: archiving cancels the running turn, and hides the session but keeps
/// its id and history.
#[tokio::test(start_paused = true)]
async fn archiving_an_open_session_ends_and_hides_it() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let (kept, gone) = (client.session().await, client.session().await);
    let running = client.prompt(&gone, "wait").await;
    let queued = client.prompt(&gone, "never").await;
    client.settle().await;
    let archive = client.start("session/archive", json!({"sessionId": gone})).await;
    assert_eq!(client.reply(archive).await["result"], json!({}));
    let before: Vec<i64> =
        client.seen.iter().filter_map(|message| message["id"].as_i64()).collect();
    assert!(before.contains(&running) && before.contains(&queued), "SESS-25: {before:?}");
    for id in [running, queued] {
        assert_eq!(client.reply(id).await["result"]["stopReason"], "cancelled");
    }
    assert_eq!(client.error("session/prompt", prompt(&gone, "x")).await["code"], -32002);
    let kept = (kept, json!(false));
    let archived = (gone.clone(), json!(true));
    for filter in [json!({}), json!({"archived": null}), json!({"archived": "exclude"})] {
        assert_eq!(listed(&mut client, filter).await, std::slice::from_ref(&kept));
    }
    assert_eq!(
        listed(&mut client, json!({"archived": "only"})).await,
        std::slice::from_ref(&archived)
    );
    let mut all = listed(&mut client, json!({"archived": "include"})).await;
    all.sort_unstable_by_key(|(id, _)| *id == gone);
    assert_eq!(all, [kept, archived]);
    let filter = json!({"archived": "include", "cwd": "/unused"});
    assert_eq!(listed(&mut client, filter).await, []);
    for bad in [json!("all"), json!(true)] {
        assert_eq!(
            client.error("session/list", json!({"archived": bad})).await["code"],
            -32602,
            "ARCH-04"
        );
    }
    client.updates();
    client.result("session/load", load(&gone)).await;
    assert_eq!(client.updates()[0]["content"]["text"], "wait", "its history is kept");
}

/// ARCH-03, ARCH-06: repeated archiving and unarchiving works without opening the session.
#[tokio::test(start_paused = true)]
async fn archiving_twice_has_the_effect_of_archiving_once() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let session = client.session().await;
    let named = json!({"sessionId": session});
    client.result("session/unarchive", named.clone()).await;
    for _ in 0..3 {
        client.result("session/archive", named.clone()).await;
    }
    let once = store.events(&session).len();
    client.result("session/archive", named.clone()).await;
    assert_eq!(store.events(&session).len(), once);
    for _ in 0..3 {
        client.result("session/unarchive", named.clone()).await;
    }
    assert_eq!(listed(&mut client, json!({})).await, [(session.clone(), json!(false))]);
    assert_eq!(client.result("session/status", named).await, json!({"status": "saved"}), "ARCH-06");
    for method in ["session/archive", "session/unarchive"] {
        let error = client.error(method, json!({"sessionId": "nope"})).await;
        assert_eq!((&error["code"], &error["data"]["sessionId"]), (&json!(-32002), &json!("nope")));
    }
}

/// ARCH-06: an archived session can be loaded and stays archived until it is unarchived.
#[tokio::test(start_paused = true)]
async fn loading_an_archived_session_does_not_unarchive_it() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let session = client.session().await;
    client.result("session/archive", json!({"sessionId": session})).await;
    client.result("session/load", load(&session)).await;
    client.turn(&session, "say x").await;
    assert_eq!(listed(&mut client, json!({})).await, []);
    client.result("session/unarchive", json!({"sessionId": session})).await;
    assert_eq!(listed(&mut client, json!({})).await.len(), 1);
    client.turn(&session, "say y").await;
}

/// DEL-02, DEL-03: a deleted session is gone for good, open or not.
#[tokio::test(start_paused = true)]
async fn a_deleted_session_is_gone() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    for open in [true, false] {
        let session = client.session().await;
        let named = json!({"sessionId": session});
        let running = client.prompt(&session, "wait").await;
        client.settle().await;
        if !open {
            client.result("session/close", named.clone()).await;
        }
        client.result("session/delete", named.clone()).await;
        assert_eq!(client.reply(running).await["result"]["stopReason"], "cancelled", "DEL-04");
        client.result("session/delete", named.clone()).await;
        assert_eq!(listed(&mut client, json!({"archived": "include"})).await, []);
        for method in ["session/load", "session/resume", "session/fork"] {
            assert_eq!(client.error(method, load(&session)).await["code"], -32002, "{method}");
        }
    }
}

/// INFO-05: a title that the author sets while the session is archived reaches the client before
/// any list has it.
#[tokio::test(start_paused = true)]
async fn a_title_set_during_the_archiving_is_sent_before_it_is_listed() {
    for lists in [true, false] {
        let (store, keeper) = (TestStore::new(), Keeper::default());
        let mut client = store.client(keeper.clone()).await;
        let session = client.session().await;
        client.turn(&session, "title One").await;
        store.hold();
        let archive = client.start("session/archive", json!({"sessionId": session})).await;
        // The commit of the archiving waits now. Less time passes than between two lines with
        // titles.
        tokio::time::sleep(Duration::from_millis(10)).await;
        keeper.go.notify_one();
        tokio::time::sleep(Duration::from_millis(10)).await;
        if lists {
            client.result("session/list", json!({"archived": "include"})).await;
            assert_eq!(client.updates()[0]["title"], "One later");
        }
        store.go_on();
        client.reply(archive).await;
        let told = client.updates();
        client.result("session/unarchive", json!({"sessionId": session})).await;
        let listed = client.result("session/list", json!({})).await;
        assert_eq!(listed["sessions"][0]["title"], "One later");
        assert!(lists || told[0]["title"] == "One later", "{told:?}");
    }
}
