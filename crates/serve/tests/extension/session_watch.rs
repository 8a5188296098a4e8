//! Watching a session.

use crate::attached::{Shared, Shown, shared, shared_with};
use crate::started::{idle, until};
use attache_client::HubOptions;
use attache_serve::Scope;
use attache_session::MemoryStore;
use attache_view::SessionView;
use serde_json::{Value, json};
use std::sync::Arc;

/// The rows of a fresh view of the session.
pub(crate) fn fresh(it: &Shared) -> Vec<Value> {
    let snapshot = it.session.snapshot();
    let mut view = SessionView::new(it.session.cwd());
    while view.update(&snapshot).more {}
    view.rows().iter().map(|row| serde_json::to_value(&**row).unwrap()).collect()
}

/// Runs a turn with this answer.
async fn turn(it: &mut Shared, prompt: &str, answer: &str) {
    it.session.send(prompt).unwrap();
    let (call, _) = it.agent.prompted().await;
    it.agent.say(answer).await;
    it.agent.end_turn(&call).await;
    idle(&it.session).await;
}

#[tokio::test]
async fn a_watch_begins_with_everything_and_follows_the_changes() {
    let mut it = shared().await;
    turn(&mut it, "hello", "first").await;
    let mut client = it.device(Scope::Watch);
    let watch = client.watch(Value::Null).await;
    let (method, change) = client.notified().await;
    assert_eq!((method.as_str(), &change["watch"]), ("_attache/session", &json!(watch)));
    assert_eq!((&change["replaced"], &change["count"]), (&json!(true), &json!(2)));
    for part in ["status", "questions", "options", "commands", "queue", "draft"] {
        assert!(change.get(part).is_some(), "{part} is missing");
    }
    let mut shown = Shown::default();
    shown.apply(&change);
    turn(&mut it, "more", "second").await;
    let all = fresh(&it);
    shown.until(&mut client, |shown| shown.rows == all).await;
    client.call("_attache/unwatch", json!({ "watch": watch })).await.unwrap();
    let refused = client.refused("_attache/unwatch", json!({ "watch": watch })).await;
    assert!(refused.contains("no session is watched"), "{refused}");
}

#[tokio::test]
async fn a_client_that_returns_gets_exactly_what_it_missed() {
    let mut it = shared().await;
    turn(&mut it, "one", "first").await;
    let mut client = it.local();
    client.watch(Value::Null).await;
    let mut shown = Shown::default();
    let all = fresh(&it);
    shown.until(&mut client, |shown| shown.rows == all).await;
    shown.until(&mut client, |shown| shown.parts["status"]["activity"]["kind"] == "idle").await;
    drop(client);
    turn(&mut it, "two", "second").await;
    let mut client = it.local();
    client.watch(shown.position.clone()).await;
    let (_, change) = client.notified().await;
    assert_eq!(change["replaced"], false);
    let ids: Vec<&Value> =
        change["rows"].as_array().unwrap().iter().map(|row| &row["id"]).collect();
    assert_eq!(ids, [2, 3], "only the new rows are sent");
    assert!(change.get("commands").is_none(), "the commands did not change");
    shown.apply(&change);
    assert_eq!(shown.rows, fresh(&it));
}

#[tokio::test]
async fn positions_of_another_run_or_history_are_void() {
    let mut it = shared().await;
    turn(&mut it, "one", "first").await;
    let mut client = it.local();
    client.watch(Value::Null).await;
    let known = client.notified().await.1["position"].clone();
    for (name, other) in [("run", json!("x")), ("generation", json!(999)), ("sequence", json!(999))]
    {
        let mut position = known.clone();
        position[name] = other;
        let mut client = it.local();
        client.watch(position).await;
        let (_, change) = client.notified().await;
        assert_eq!((&change["replaced"], &change["count"]), (&json!(true), &json!(2)), "{name}");
        assert_eq!(change["rows"].as_array().unwrap().len(), 2);
    }
}

#[tokio::test]
async fn earlier_rows_are_read_and_then_followed() {
    let mut it = shared().await;
    for number in 0..5 {
        turn(&mut it, &format!("prompt {number}"), &format!("answer {number}")).await;
    }
    let mut client = it.local();
    let params = json!({ "agent": "a", "sessionId": "s1", "rows": 2 });
    let watch = client.call("_attache/watch_session", params).await.unwrap()["watch"].clone();
    let (_, change) = client.notified().await;
    assert_eq!((&change["count"], change["rows"][0]["id"].as_u64()), (&json!(10), Some(8)));
    let read = json!({ "watch": watch, "from": 0, "to": 8 });
    let rows = client.call("_attache/rows", read).await.unwrap()["rows"].clone();
    let all = fresh(&it);
    assert_eq!(rows.as_array().unwrap().as_slice(), &all[..8]);
    let wrong = json!({ "watch": watch, "from": 8, "to": 0 });
    assert!(client.refused("_attache/rows", wrong).await.contains("`from`"));
    let found = json!({ "watch": watch, "words": "ANSWER 3" });
    let found = client.call("_attache/search", found).await.unwrap()["places"].clone();
    assert_eq!(found.as_array().unwrap().len(), 1);
    assert_eq!((&found[0]["row"], &found[0]["sessionId"]), (&json!(7), &json!("s1")));
    let found = client.call("_attache/search", json!({ "words": "x" })).await.unwrap();
    assert_eq!(found["places"][0]["sessionId"], "s9");
}

#[tokio::test]
async fn rows_that_left_the_memory_are_read_from_the_log() {
    let options = HubOptions::default().store(Arc::new(MemoryStore::default()));
    let mut it = shared_with(options, json!({}), json!({ "sessionId": "s1" })).await;
    it.session.send("go").unwrap();
    let (call, _) = it.agent.prompted().await;
    let mut number = 0;
    while it.session.snapshot().truncated_before() == 0 {
        let text = json!({ "type": "text", "text": "word ".repeat(400_000) });
        let update = json!({
            "sessionUpdate": "tool_call", "toolCallId": format!("c{number}"),
            "title": format!("Read {number}."), "kind": "read", "status": "completed",
            "content": [{ "type": "content", "content": text }],
        });
        it.agent.update("s1", update).await;
        it.agent.heard().await;
        number += 1;
        assert!(number < 100, "nothing leaves the memory");
    }
    it.agent.end_turn(&call).await;
    idle(&it.session).await;
    it.session.commit().await.unwrap();
    let mut client = it.local();
    let watch = client.watch(Value::Null).await;
    let (_, change) = client.notified().await;
    assert!(change["rows"][0]["id"].as_u64() > Some(1), "rows that are not in memory are not sent");
    let read = json!({ "watch": watch, "from": 0, "to": 2 });
    let rows = client.call("_attache/rows", read).await.unwrap();
    let rows = rows["rows"].as_array().unwrap();
    assert!(rows[0]["content"].to_string().contains("go"), "{rows:?}");
    assert!(rows[1]["content"].to_string().contains("Read 0."), "{rows:?}");
}

#[tokio::test]
async fn a_whole_tool_call_is_read_by_its_row() {
    let mut it = shared().await;
    it.session.send("go").unwrap();
    let (call, _) = it.agent.prompted().await;
    let lines: Vec<String> = (0..500).map(|number| format!("line {number}")).collect();
    let text = json!({ "type": "text", "text": lines.join("\n") });
    it.agent
        .update(
            "s1",
            json!({
                "sessionUpdate": "tool_call", "toolCallId": "c1", "title": "Read", "kind": "read",
                "status": "completed", "content": [{ "type": "content", "content": text }],
            }),
        )
        .await;
    it.agent.end_turn(&call).await;
    idle(&it.session).await;
    let mut client = it.local();
    let watch = client.watch(Value::Null).await;
    let (_, change) = client.notified().await;
    assert!(!change["rows"].to_string().contains("line 250\""), "the row is short");
    let whole = json!({ "watch": watch, "row": 1 });
    let whole = client.call("_attache/whole_call", whole).await.unwrap();
    assert!(whole.to_string().contains("line 250"), "{whole}");
    let refused = client.refused("_attache/whole_call", json!({ "watch": watch, "row": 0 })).await;
    assert!(refused.contains("not a tool call"), "{refused}");
}

#[tokio::test]
async fn a_session_that_is_not_open_needs_control() {
    let mut it = shared().await;
    let mut client = it.device(Scope::Answer);
    let params = json!({ "agent": "a", "sessionId": "s2" });
    let refused = client.refused("_attache/watch_session", params).await;
    assert!(refused.contains("needs the scope \"control\""), "{refused}");
}

#[tokio::test]
async fn a_closed_session_says_so() {
    let mut it = shared().await;
    let mut client = it.local();
    client.watch(Value::Null).await;
    it.session.close().await.unwrap();
    until(&it.session, |session| session.state() == attache_client::SessionState::Closed).await;
    let mut shown = Shown::default();
    let is_closed = |shown: &Shown| shown.parts.get("closed").is_some_and(|line| !line.is_null());
    shown.until(&mut client, is_closed).await;
}
