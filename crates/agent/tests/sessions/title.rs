use super::load::load;
use super::{Keeper, TestStore};
use serde_json::json;

/// TITLE-01, TITLE-03, INFO-05: a title is stored before it is confirmed, for open and stored
/// sessions, and no generated title replaces it later.
#[tokio::test(start_paused = true)]
async fn a_title_is_stored_for_any_session_that_is_listed() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    for open in [true, false] {
        let session = client.session().await;
        if !open {
            client.result("session/close", json!({"sessionId": session})).await;
        }
        let title = json!({"sessionId": session, "title": " Mine \n too "});
        assert_eq!(client.result("session/set_title", title).await["title"], "Mine too");
        assert_eq!(store.session(&session).info().title(), Some("Mine too"), "stored: {open}");
        let listed = client.result("session/list", json!({})).await;
        assert_eq!(listed["sessions"][0]["title"], "Mine too");
        if open {
            client.result("session/close", json!({"sessionId": session})).await;
        }
        client.result("session/load", load(&session)).await;
        client.turn(&session, "everything").await;
        client.result("session/close", json!({"sessionId": session})).await;
        assert_eq!(store.session(&session).info().title(), Some("Mine too"));
        client.result("session/delete", json!({"sessionId": session})).await;
    }
}

/// TITLE-01: titles set in one write are stored and answered in their order.
#[tokio::test(start_paused = true)]
async fn titles_in_a_row_end_with_the_last() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    for open in [true, false] {
        let session = client.session().await;
        if !open {
            client.result("session/close", json!({"sessionId": session})).await;
        }
        client.settle().await;
        client.updates();
        let (mut ids, mut calls) = (Vec::new(), Vec::new());
        for title in ["one", "two", "three", "four"] {
            let (id, call) =
                client.call("session/set_title", json!({"sessionId": session, "title": title}));
            ids.push(json!(id));
            calls.push(call);
        }
        client.send(&calls).await;
        for id in ids {
            assert_eq!(client.next().await["id"], id);
        }
        assert_eq!(store.session(&session).info().title(), Some("four"));
    }
}

/// TITLE-02.
#[tokio::test(start_paused = true)]
async fn a_blank_title_and_an_unknown_session_are_refused() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let session = client.session().await;
    for title in ["", "  ", "\n\t", "\u{200f}"] {
        let error =
            client.error("session/set_title", json!({"sessionId": session, "title": title})).await;
        assert_eq!(error["code"], -32602, "{title:?}");
    }
    assert_eq!(
        client.error("session/set_title", json!({"sessionId": session})).await["code"],
        -32602
    );
    let error = client.error("session/set_title", json!({"sessionId": "nope", "title": "x"})).await;
    assert_eq!((&error["code"], &error["data"]["sessionId"]), (&json!(-32002), &json!("nope")));
    assert_eq!(store.session(&session).info().title(), None);
}

/// TITLE-01: titles of a session that is not open are stored one after the other, even on a slow
/// disk.
#[tokio::test(start_paused = true)]
async fn titles_wait_for_the_disk_and_for_earlier_titles() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let session = client.session().await;
    client.result("session/close", json!({"sessionId": session})).await;
    store.hold();
    let mut ids = Vec::new();
    for title in ["one", "two", "three"] {
        ids.push(
            client.start("session/set_title", json!({"sessionId": session, "title": title})).await,
        );
    }
    client.settle().await;
    tokio::time::sleep(std::time::Duration::from_secs(10)).await;
    store.go_on();
    for (id, title) in ids.into_iter().zip(["one", "two", "three"]) {
        assert_eq!(client.reply(id).await["result"]["title"], title);
    }
    assert_eq!(store.session(&session).info().title(), Some("three"));
}
