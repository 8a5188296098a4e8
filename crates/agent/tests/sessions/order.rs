//! Replies wait for the disk, and no update overtakes a reply that contains an older state.

use super::client::new;
use super::keeper::Opens;
use super::load::{kinds, load};
use super::{Client, Keeper, TestStore};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;

async fn session(client: &mut Client) -> String {
    let session = client.session().await;
    client.settle().await;
    client.updates();
    session
}

fn set(session: &str, value: &str) -> Value {
    json!({"sessionId": session, "configId": "model", "value": value})
}

/// A reply is queued only after the change that it confirms is stored.
#[tokio::test(start_paused = true)]
async fn no_reply_is_sent_before_its_change_is_stored() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let open = session(&mut client).await;
    let closed = session(&mut client).await;
    client.result("session/close", json!({"sessionId": closed})).await;
    for (method, params) in [
        ("session/new", new()),
        ("session/fork", load(&open)),
        ("session/prompt", super::client::prompt(&open, "say x")),
        ("session/set_config_option", set(&open, "large")),
        ("session/set_mode", json!({"sessionId": open, "modeId": "code"})),
        ("session/set_title", json!({"sessionId": open, "title": "x"})),
        ("session/set_title", json!({"sessionId": closed, "title": "x"})),
        ("session/unarchive", json!({"sessionId": open})),
        ("session/archive", json!({"sessionId": closed})),
        ("session/unarchive", json!({"sessionId": closed})),
        ("session/load", load(&closed)),
        ("session/close", json!({"sessionId": closed})),
        ("session/resume", load(&closed)),
        ("session/archive", json!({"sessionId": closed})),
        ("session/delete", json!({"sessionId": open})),
    ] {
        store.hold();
        let commits = store.control.commits.load(Ordering::SeqCst);
        let id = client.start(method, params).await;
        while store.control.commits.load(Ordering::SeqCst) == commits {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
        for _ in 0..3 {
            client.settle().await;
        }
        assert!(client.seen.iter().all(|line| line["id"] != id), "{method} was answered too early");
        store.go_on();
        let reply = client.reply(id).await;
        assert!(reply.get("result").is_some(), "{method}: {reply}");
    }
}

/// CONF-24, CONF-02: two calls and a turn set options while the disk is slow. Each change is sent
/// in its place.
#[tokio::test(start_paused = true)]
async fn options_are_sent_in_the_order_in_which_they_changed() {
    let store = TestStore::new();
    let author = Keeper::default();
    let mut client = store.client(author.clone()).await;
    let session = session(&mut client).await;
    let turn = client.prompt(&session, "code").await;
    client.settle().await;
    store.hold();
    let mut ids = Vec::new();
    for value in ["large", "small", "large"] {
        ids.push(client.start("session/set_config_option", set(&session, value)).await);
    }
    let mode =
        client.start("session/set_mode", json!({"sessionId": session, "modeId": "nonsense"})).await;
    client.settle().await;
    author.go.notify_one();
    // After these calls, the turn changed all options and queued an update about them. Only the
    // text of the turn may overtake the replies.
    assert_eq!(
        client.arrives("session/update").await["params"]["update"]["content"]["text"],
        "done"
    );
    client.settle().await;
    assert_eq!(client.seen, [] as [Value; 0]);
    store.go_on();
    let mut told = Vec::new();
    while told.last() != Some(&json!({"turn": "end_turn"})) {
        let line = client.next().await;
        let model = |options: &Value| options[1]["currentValue"].clone();
        told.push(match (&line["id"], &line["params"]["update"]["sessionUpdate"]) {
            (id, _) if *id == turn => json!({"turn": line["result"]["stopReason"]}),
            (id, _) if *id == mode => json!({"refused": line["error"]["code"]}),
            (Value::Number(_), _) => json!({"reply": model(&line["result"]["configOptions"])}),
            (_, kind) if kind == "config_option_update" => {
                json!({"update": model(&line["params"]["update"]["configOptions"])})
            }
            (_, kind) => kind.clone(),
        });
    }
    assert_eq!(
        told,
        [
            json!({"reply": "large"}),
            json!({"reply": "small"}),
            json!({"reply": "large"}),
            json!({"refused": -32602}),
            json!({"update": "small"}),
            json!("current_mode_update"),
            json!({"turn": "end_turn"}),
        ]
    );
}

/// PROMPT-08: the next turn sends nothing before the reply of the previous one.
#[tokio::test(start_paused = true)]
async fn the_next_turn_begins_after_the_reply_of_the_previous_one() {
    let store = TestStore::new();
    let author = Keeper::default();
    let mut client = store.client(author.clone()).await;
    let session = session(&mut client).await;
    author.noted();
    store.hold();
    let first = client.prompt(&session, "say one").await;
    let second = client.prompt(&session, "say two").await;
    client.arrives("session/update").await;
    client.settle().await;
    assert_eq!(author.noted(), ["began say one"]);
    assert_eq!(client.seen, [] as [Value; 0]);
    store.go_on();
    assert_eq!(client.next().await["id"], first);
    assert_eq!(client.next().await["params"]["update"]["content"]["text"], "two");
    assert_eq!(client.next().await["id"], second);
}

/// SESS-26: updates that the author sends while a session is opened follow the reply that announces
/// it, even with a slow disk.
#[tokio::test(start_paused = true)]
async fn early_updates_follow_the_reply() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::that(Opens::Saying)).await;
    store.hold();
    let id = client.start("session/new", new()).await;
    client.settle().await;
    assert_eq!(client.seen, [] as [Value; 0]);
    store.go_on();
    let reply = client.next().await;
    assert_eq!(reply["id"], id);
    let session = reply["result"]["sessionId"].as_str().unwrap().to_owned();
    client.settle().await;
    let all = ["session_info_update", "notice", "available_commands_update"];
    assert_eq!(kinds(&client.updates()), all);
    let listed = client.result("session/list", json!({})).await;
    assert_eq!(listed["sessions"][0]["title"], "Said early");
    client.result("session/close", json!({"sessionId": session})).await;
    let id = client.start("session/load", load(&session)).await;
    client.reply(id).await;
    let mut before = kinds(&client.updates()).join(" ");
    assert!(!before.contains("notice"), "SESS-16: {before}");
    client.settle().await;
    before = kinds(&client.updates()).join(" ");
    assert_eq!(before, "notice", "SESS-14: the replayed updates are not sent twice");
}
