//! The commands of a session.

use crate::attached::{Shown, shared, shared_with};
use crate::started::{idle, until};
use attache_client::{HubOptions, SessionState};
use attache_serve::{Scope, SessionChange};
use attache_session::MemoryStore;
use serde_json::{Value, json};
use std::sync::Arc;

fn with(more: Value) -> Value {
    let mut params = json!({ "agent": "a", "sessionId": "s1" });
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    params
}

fn text(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

#[tokio::test]
async fn prompts_wait_and_the_queue_changes() {
    let mut it = shared().await;
    let mut client = it.device(Scope::Control);
    client.call("_attache/prompt", with(text("one"))).await.unwrap();
    let (call, prompt) = it.agent.prompted().await;
    assert_eq!(prompt, "one");
    for waiting in ["two", "three", "four"] {
        client.call("_attache/prompt", with(text(waiting))).await.unwrap();
    }
    let ids: Vec<u64> = it.session.queue().iter().map(|queued| queued.id.0).collect();
    for change in [
        json!({ "type": "edit", "id": ids[0], "text": "second" }),
        json!({ "type": "remove", "id": ids[1] }),
        json!({ "type": "move", "id": ids[2], "to": 0 }),
    ] {
        client.call("_attache/queue", with(json!({ "change": change }))).await.unwrap();
    }
    let gone = json!({ "change": { "type": "remove", "id": ids[1] } });
    let refused = client.refused("_attache/queue", with(gone)).await;
    assert!(refused.contains("no longer waits"), "{refused}");
    client.watch(Value::Null).await;
    let mut shown = Shown::default();
    shown.until(&mut client, |shown| shown.parts.contains_key("queue")).await;
    let queue = shown.parts["queue"].as_array().unwrap();
    assert_eq!([&queue[0]["text"], &queue[1]["text"]], ["four", "second"]);
    client.call("_attache/cancel", with(json!({}))).await.unwrap();
    it.agent.expect("session/cancel").await;
    it.agent.reply(&call, json!({ "stopReason": "cancelled" })).await;
    until(&it.session, |session| session.held().is_some()).await;
    let release = json!({ "change": { "type": "release" } });
    client.call("_attache/queue", with(release)).await.unwrap();
    let (_, prompt) = it.agent.prompted().await;
    assert_eq!(prompt, "four");
    let now = json!({ "change": { "type": "send_now", "id": ids[0] } });
    client.call("_attache/queue", with(now)).await.unwrap();
    it.agent.expect("session/cancel").await;
}

#[tokio::test]
async fn a_prompt_that_is_no_content_is_refused() {
    let mut it = shared().await;
    let mut client = it.local();
    for (content, expected) in [
        (json!([]), "`content` is empty"),
        (json!([{ "type": "text", "text": "a" }, { "type": "text" }]), "`content[1]`"),
    ] {
        let params = with(json!({ "content": content }));
        let refused = client.refused("_attache/prompt", params).await;
        assert!(refused.contains(expected), "{refused}");
    }
    assert!(it.session.queue().is_empty());
}

#[tokio::test]
async fn a_draft_says_which_client_wrote_it() {
    let mut it = shared().await;
    let (mut one, mut other) = (it.local(), it.local());
    one.call("_attache/draft", with(json!({ "text": "to do" }))).await.unwrap();
    other.watch(Value::Null).await;
    let (_, change) = other.notified().await;
    assert_eq!(change["draft"], json!({ "text": "to do", "by": 1 }));
    it.session.set_draft("from the screen");
    let mut shown = Shown::default();
    shown.apply(&change);
    let wanted = json!({ "text": "from the screen", "by": 0 });
    shown.until(&mut other, |shown| shown.parts["draft"] == wanted).await;
}

#[tokio::test]
async fn options_and_modes_are_set() {
    let options = json!([{
        "id": "model", "name": "Model", "type": "select", "currentValue": "a",
        "options": [{ "value": "a", "name": "A" }, { "value": "b", "name": "B" }],
    }]);
    let opened = json!({ "sessionId": "s1", "configOptions": options });
    let mut it = shared_with(HubOptions::default(), json!({}), opened).await;
    let mut client = it.local();
    let set = with(json!({ "option": "model", "value": "b" }));
    let answering = async {
        let call = it.agent.expect("session/set_config_option").await;
        assert_eq!(call["params"]["value"], "b");
        let mut changed = options.clone();
        changed[0]["currentValue"] = json!("b");
        it.agent.reply(&call, json!({ "configOptions": changed })).await;
    };
    let (set, ()) = tokio::join!(client.call("_attache/option", set), answering);
    set.unwrap();
    let unknown = with(json!({ "option": "speed", "value": "b" }));
    let refused = client.refused("_attache/option", unknown).await;
    assert!(refused.contains("no such option"), "{refused}");
}

#[tokio::test]
async fn files_are_found_for_mentions() {
    let mut it = shared().await;
    let mut client = it.local();
    let found = client.call("_attache/files", with(json!({ "letters": "ma" }))).await.unwrap();
    assert_eq!(found["paths"], json!(["ma0.rs", "ma1.rs", "ma2.rs"]));
}

#[tokio::test]
async fn the_list_is_changed_and_a_session_is_closed() {
    let mut it = shared().await;
    let mut client = it.local();
    for change in [
        json!({ "type": "rename", "title": "New" }),
        json!({ "type": "archive", "archived": true }),
        json!({ "type": "tags", "tags": ["x"] }),
        json!({ "type": "delete" }),
    ] {
        client.call("_attache/change", with(json!({ "change": change }))).await.unwrap();
    }
    let expected = [
        SessionChange::Rename("New".into()),
        SessionChange::Archive(true),
        SessionChange::Tags(vec!["x".into()]),
        SessionChange::Delete,
    ];
    assert_eq!(*it.services.changes.lock().unwrap(), expected);
    let close = json!({ "change": { "type": "close" } });
    client.call("_attache/change", with(close)).await.unwrap();
    assert_eq!(it.session.state(), SessionState::Closed);
}

#[tokio::test]
async fn a_session_is_opened_below_the_allowed_folders_only() {
    let mut it = shared().await;
    let allowed = tempfile::tempdir().unwrap();
    *it.services.folders.lock().unwrap() = vec![allowed.path().to_owned()];
    std::os::unix::fs::symlink(it.folder.path(), allowed.path().join("link")).unwrap();
    let mut device = it.device(Scope::Control);
    let outside = [
        it.folder.path().to_owned(),
        allowed.path().join("link"),
        allowed.path().join(".."),
        allowed.path().join("missing"),
    ];
    for outside in outside {
        let params = json!({ "agent": "a", "cwd": outside });
        let refused = device.refused("_attache/open", params).await;
        assert!(refused.contains("`serve --folder`"), "{refused}");
    }
    let refused = device.refused("_attache/open", json!({ "agent": "a", "cwd": "here" })).await;
    assert!(refused.contains("absolute"), "{refused}");
    let refused = device.refused("_attache/open", json!({ "agent": "sh -c x", "cwd": "/" })).await;
    assert!(refused.contains("no such agent"), "{refused}");
    let open = json!({ "agent": "a", "cwd": allowed.path() });
    let answering = async {
        let call = it.agent.expect("session/new").await;
        it.agent.reply(&call, json!({ "sessionId": "s2" })).await;
    };
    let (opened, ()) = tokio::join!(device.call("_attache/open", open), answering);
    assert_eq!(opened.unwrap(), json!({ "agent": "a", "sessionId": "s2" }));
}

#[tokio::test]
async fn an_agent_is_restarted_and_a_session_continued_in_a_new_one() {
    let mut it = shared().await;
    it.session.send("one").unwrap();
    let (call, _) = it.agent.prompted().await;
    it.agent.end_turn(&call).await;
    idle(&it.session).await;
    let mut client = it.local();
    let answering = async {
        let call = it.agent.expect("session/new").await;
        it.agent.reply(&call, json!({ "sessionId": "s2" })).await;
    };
    let continuing = client.call("_attache/continue", with(json!({})));
    let (continued, ()) = tokio::join!(continuing, answering);
    assert_eq!(continued.unwrap()["sessionId"], "s2");
    client.call("_attache/restart", json!({ "agent": "a" })).await.unwrap();
    it.starts.next(json!({})).await;
    let refused = client.refused("_attache/restart", json!({ "agent": "b" })).await;
    assert!(refused.contains("no agent \"b\""), "{refused}");
}

#[tokio::test]
async fn an_agent_without_that_feature_cannot_stop_one_call() {
    let mut it = shared().await;
    let mut client = it.local();
    let error = client.call("_attache/stop_call", with(json!({ "call": "c1" }))).await.unwrap_err();
    assert_eq!(error["code"], -32603, "{error}");
}

#[tokio::test]
async fn a_stored_session_is_opened_and_watched() {
    let options = HubOptions::default().store(Arc::new(MemoryStore::default()));
    let capabilities = json!({ "loadSession": true });
    let mut it = shared_with(options, capabilities, json!({ "sessionId": "s1" })).await;
    it.session.send("one").unwrap();
    let (call, _) = it.agent.prompted().await;
    it.agent.end_turn(&call).await;
    idle(&it.session).await;
    it.session.close().await.unwrap();
    let mut device = it.device(Scope::Control);
    let stored = json!({ "agent": "a", "sessionId": "s1", "cwd": "/" });
    let mut local = it.local();
    local.call("_attache/watch_hub", json!({})).await.unwrap();
    while local.notified().await.1["list"]["sessions"][0]["id"] != "s1" {}
    let refused = device.refused("_attache/open", stored.clone()).await;
    assert!(refused.contains("`serve --folder`"), "{refused}");
    let answering = async {
        let call = it.agent.expect("session/load").await;
        it.agent.reply(&call, json!({})).await;
    };
    let watching = local.call("_attache/watch_session", with(json!({})));
    let (watching, ()) = tokio::join!(watching, answering);
    watching.unwrap();
    let mut shown = Shown::default();
    shown.until(&mut local, |shown| shown.text().contains("one")).await;
    let opened = local.call("_attache/open", stored).await.unwrap();
    assert_eq!(opened["sessionId"], "s1", "an open session is returned");
}
