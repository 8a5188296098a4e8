//! Watching the hub.

use crate::attached::{Client, shared, shared_with};
use attache_client::HubOptions;
use attache_protocol::method::Side;
use attache_serve::devices::{Devices, Grant};
use attache_serve::{Place, Scope};
use attache_session::{Event, EventBody, MemoryStore, Origin, SessionKey, Store, Timestamp};
use serde_json::{Value, json};
use std::sync::Arc;

/// Returns the next state of the hub that satisfies the condition.
async fn until(client: &mut Client, wanted: impl Fn(&Value) -> bool) -> Value {
    loop {
        let (method, state) = client.notified().await;
        assert_eq!(method, "_attache/hub");
        if wanted(&state) {
            return state;
        }
    }
}

#[tokio::test]
async fn the_hub_says_who_is_there_and_who_waits() {
    let mut it = shared().await;
    let mut client = it.device(Scope::Watch);
    let watch = client.call("_attache/watch_hub", json!({})).await.unwrap()["watch"].clone();
    let state = until(&mut client, |_| true).await;
    assert_eq!((&state["watch"], &state["scope"]), (&watch, &json!("watch")));
    assert_eq!(state["agents"][0]["name"], "a");
    assert_eq!(state["list"]["sessions"][0]["id"], "s1");
    assert_eq!((&state["clients"][0]["own"], &state["has_more"]), (&json!(true), &Value::Null));
    assert_eq!(state["hasMore"], false);
    let other = it.local();
    until(&mut client, |state| state["clients"].as_array().unwrap().len() == 2).await;
    drop(other);
    client.scope.send_replace(Some(Scope::Answer));
    until(&mut client, |state| state["scope"] == "answer").await;
    it.session.send("go").unwrap();
    it.agent.prompted().await;
    let params = json!({
        "sessionId": "s1", "toolCall": { "toolCallId": "c1", "title": "Run" }, "options": [],
    });
    it.agent.call(7, "session/request_permission", params).await;
    let is_asked = |state: &Value| state["list"]["attention"][0]["reason"] == "question";
    let state = until(&mut client, is_asked).await;
    assert_eq!(state["list"]["attention"][0]["session"], "s1");
}

#[tokio::test]
async fn an_agent_that_is_added_outside_of_the_hub_is_listed() {
    let mut it = shared().await;
    let mut client = it.local();
    client.call("_attache/watch_hub", json!({})).await.unwrap();
    until(&mut client, |state| state["agents"].as_array().unwrap().len() == 1).await;
    it.services.more_agents.lock().unwrap().push("b".to_owned());
    until(&mut client, |state| state["agents"][1]["name"] == "b").await;
}

#[tokio::test]
async fn the_list_is_limited_and_filtered() {
    let store = Arc::new(MemoryStore::default());
    for number in 0..50 {
        let id = format!("old{number}");
        let key = SessionKey { side: Side::Client, agent: "a".into(), session_id: id.into() };
        let mut log = store.create(&key).unwrap();
        let opened = EventBody::Opened {
            cwd: "/ours".to_owned(),
            additional_directories: Vec::new(),
            origin: Origin::New,
            agent: None,
        };
        log.append(&Event { sequence: 1, at: Timestamp(number), body: opened });
        let titled = EventBody::StoredTitle {
            title: format!("Fix bug {number} of the parser"),
            by_person: true,
        };
        log.append(&Event { sequence: 2, at: Timestamp(number), body: titled });
    }
    let options = HubOptions::default().store(store);
    let mut it = shared_with(options, json!({}), json!({ "sessionId": "s1" })).await;
    let mut client = it.local();
    client.call("_attache/watch_hub", json!({ "limit": 10 })).await.unwrap();
    let state = until(&mut client, |state| state["hasMore"] == true).await;
    assert_eq!(state["list"]["sessions"].as_array().unwrap().len(), 10);
    let mut client = it.local();
    let params = json!({ "words": "PARSER 17" });
    client.call("_attache/watch_hub", params).await.unwrap();
    let found = until(&mut client, |state| {
        state["list"]["sessions"].as_array().is_some_and(|sessions| !sessions.is_empty())
    });
    let sessions = found.await["list"]["sessions"].clone();
    assert_eq!((sessions.as_array().unwrap().len(), &sessions[0]["id"]), (1, &json!("old17")));
}

#[tokio::test]
async fn a_client_that_lost_its_access_gets_nothing_more() {
    let mut it = shared().await;
    let mut client = it.device(Scope::Control);
    let hub = client.call("_attache/watch_hub", json!({})).await.unwrap()["watch"].clone();
    until(&mut client, |_| true).await;
    client.scope.send_replace(None);
    it.session.set_draft("x");
    // The watch has ended, although the client did not end it.
    let error = client.call("_attache/unwatch", json!({ "watch": hub })).await.unwrap_err();
    assert!(error["message"].as_str().unwrap().contains("taken away"), "{error}");
    assert!(client.take_notified().is_empty());
}

/// A question that belongs to no session is shown and answered through the hub.
#[tokio::test]
async fn a_question_of_a_login_is_answered() {
    let mut it = shared().await;
    let mut client = it.device(Scope::Answer);
    let schema = json!({ "type": "object", "properties": { "code": { "type": "string" } } });
    let params = json!({
        "mode": "form", "requestId": 1, "message": "Code?", "requestedSchema": schema,
    });
    it.agent.call(7, "elicitation/create", params).await;
    client.call("_attache/watch_hub", json!({})).await.unwrap();
    let has_question = |state: &Value| state["questions"][0].is_object();
    let state = until(&mut client, has_question).await;
    let asked = &state["questions"][0];
    assert_eq!(
        (&asked["agent"], &state["list"]["attention"][0]["session"]),
        (&json!("a"), &Value::Null)
    );
    let params = json!({
        "agent": "a", "sessionId": null, "question": asked["question"]["id"],
        "answer": { "type": "fill", "values": { "code": "123" } },
    });
    client.call("_attache/answer", params).await.unwrap();
    assert_eq!(it.agent.answer_to(7).await["result"]["content"], json!({ "code": "123" }));
}

/// A device may ask just after a person has decided about it.
#[tokio::test]
async fn the_wishes_of_a_revoked_device_are_forgotten() {
    let mut it = shared().await;
    let devices = Arc::new(Devices::open(&it.folder.path().join("devices")).unwrap());
    it.hub.set_devices(devices.clone());
    let code = devices.new_code(Scope::Watch).unwrap();
    let id = devices.redeem(code.expose(), "phone").unwrap().device.id;
    let mut device = it.attach(Place::Device(id.clone()), Scope::Watch);
    let mut person = it.local();
    person.call("_attache/watch_hub", json!({})).await.unwrap();
    device.call("_attache/ask_scope", json!({ "scope": "answer" })).await.unwrap();
    let state = until(&mut person, |state| state["scopeRequests"][0].is_object()).await;
    assert_eq!(state["scopeRequests"][0]["device"], id.0);
    devices.revoke(&id).unwrap();
    device.call("_attache/ask_scope", json!({ "scope": "control" })).await.unwrap();
    until(&mut person, |state| state["scopeRequests"][0].is_null()).await;
}

/// What a page shows may be older than what was granted since: a change changes nothing else.
#[tokio::test]
async fn a_change_of_a_device_leaves_the_rest_as_it_is() {
    let mut it = shared().await;
    let devices = Arc::new(Devices::open(&it.folder.path().join("devices")).unwrap());
    it.hub.set_devices(devices.clone());
    let code = devices.new_code(Scope::Control).unwrap();
    let id = devices.redeem(code.expose(), "phone").unwrap().device.id;
    let mut person = it.local();
    let state = || devices.list().first().map(|device| (device.scope, device.protected_files));
    let watch = Grant { scope: Some(Scope::Watch), ..Grant::default() };
    devices.grant(&id, watch).unwrap();
    for (change, expected) in [
        (json!({ "type": "protected_files", "allowed": true }), Some((Scope::Watch, true))),
        (json!({ "type": "scope", "scope": "answer" }), Some((Scope::Answer, true))),
        (json!({ "type": "revoke" }), None),
    ] {
        let params = json!({ "id": id.0, "change": change });
        person.call("_attache/device", params).await.unwrap();
        assert_eq!(state(), expected, "{change}");
    }
    // A message without a change is refused: it does not revoke.
    let params = json!({ "id": id.0, "scope": null, "protectedFiles": true });
    person.call("_attache/device", params).await.unwrap_err();
}
