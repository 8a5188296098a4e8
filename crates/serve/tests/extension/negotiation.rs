//! Negotiation, scopes and errors.

use crate::attached::{shared, wanted};
use attache_protocol::{Meta, Raw};
use attache_serve::extension::Extension;
use attache_serve::{Place, Scope};
use serde_json::{Value, json};

fn negotiated(extension: &Extension, meta: Value) -> Option<Value> {
    let meta = Meta::new(Raw::of(&meta).unwrap()).unwrap();
    extension.negotiate(&meta).map(|meta| meta.raw().parse().unwrap())
}

#[tokio::test]
async fn the_hub_agrees_to_a_version_that_it_knows() {
    let it = shared().await;
    let scope = tokio::sync::watch::Sender::new(Some(Scope::Answer));
    let client = it.hub.attach(Place::Socket, "zed", scope.subscribe());
    let extension = Extension::new(it.hub.clone(), client);
    for unknown in [json!({}), json!({ "attache": true }), json!({ "attache": { "version": 0 } })] {
        assert_eq!(negotiated(&extension, unknown), None);
    }
    let agreed = negotiated(&extension, json!({ "attache": { "version": 7, "more": 1 } })).unwrap();
    assert_eq!(agreed["attache"]["version"], 1);
    assert_eq!(agreed["attache"]["scope"], "answer");
    assert_eq!(agreed["attache"]["hub"], env!("CARGO_PKG_VERSION"));
    scope.send_replace(None);
    assert!(extension.negotiate(&wanted()).is_none());
}

#[tokio::test]
async fn unknown_methods_and_methods_without_negotiation_do_not_exist() {
    let mut it = shared().await;
    let mut client = it.connect(Place::Socket, Scope::Control, false);
    let error = client.call("_attache/watch_hub", json!({})).await.unwrap_err();
    assert_eq!(error["code"], -32601);
    let mut client = it.local();
    let error = client.call("_attache/fly", json!({})).await.unwrap_err();
    assert_eq!(error["code"], -32601);
}

#[tokio::test]
async fn each_method_needs_its_scope_now() {
    let mut it = shared().await;
    let mut client = it.device(Scope::Watch);
    let prompt = json!({
        "agent": "a", "sessionId": "s1", "content": [{ "type": "text", "text": "go" }],
    });
    let refused = client.refused("_attache/prompt", prompt.clone()).await;
    assert!(refused.contains("needs the scope \"control\""), "{refused}");
    let refused = client.refused("_attache/answer", json!({})).await;
    assert!(refused.contains("needs the scope \"answer\""), "{refused}");
    client.scope.send_replace(Some(Scope::Control));
    client.call("_attache/prompt", prompt.clone()).await.unwrap();
    assert_eq!(it.agent.prompted().await.1, "go");
    client.scope.send_replace(None);
    let refused = client.refused("_attache/prompt", prompt).await;
    assert!(refused.contains("taken away"), "{refused}");
}

#[tokio::test]
async fn an_error_names_the_field_and_unknown_fields_are_ignored() {
    let mut it = shared().await;
    let mut client = it.local();
    let params =
        json!({ "agent": "a", "sessionId": "s1", "change": { "type": "remove", "id": "x" } });
    let refused = client.refused("_attache/queue", params).await;
    assert!(refused.contains("_attache/queue") && refused.contains("`change"), "{refused}");
    assert!(refused.contains("expected u64"), "{refused}");
    let refused = client.refused("_attache/cancel", json!({ "agent": "a" })).await;
    assert!(refused.contains("`sessionId`"), "{refused}");
    let params = json!({ "agent": "a", "sessionId": "s2" });
    let refused = client.refused("_attache/cancel", params).await;
    assert!(refused.contains("no open session \"s2\""), "{refused}");
    let params = json!({ "agent": "a", "sessionId": "s1", "new": 1 });
    client.call("_attache/cancel", params).await.unwrap();
}
