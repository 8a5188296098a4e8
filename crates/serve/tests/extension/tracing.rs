//! Watching the messages with an agent.

use crate::attached::{Client, shared_tapped};
use attache_serve::Scope;
use serde_json::{Value, json};

/// Returns the messages of the watch, until one contains this text.
async fn until(client: &mut Client, text: &str) -> Vec<Value> {
    let mut lines = Vec::new();
    loop {
        let (method, params) = client.notified().await;
        assert_eq!(method, "_attache/trace");
        lines.extend(params["lines"].as_array().unwrap().iter().cloned());
        if lines.iter().any(|line| line["text"].as_str().unwrap().contains(text)) {
            return lines;
        }
    }
}

#[tokio::test]
async fn messages_of_both_sides_are_followed() {
    let mut it = shared_tapped().await;
    let mut client = it.local();
    let traces = client.call("_attache/traces", json!({})).await.unwrap();
    let [agent] = &traces["agents"].as_array().unwrap()[..] else { panic!("{traces}") };
    assert_eq!((&agent["agent"], &agent["isConnected"]), (&json!("a"), &json!(true)));
    let why = client.refused("_attache/watch_trace", json!({ "agent": "b" })).await;
    assert!(why.contains("`_attache/traces` lists"), "{why}");
    client.call("_attache/watch_trace", json!({ "agent": "a" })).await.unwrap();
    let lines = until(&mut client, "session/new").await;
    let froms: Vec<&Value> = lines.iter().take(2).map(|line| &line["from"]).collect();
    assert_eq!(froms, ["client", "agent"]);
    assert!(lines[0]["text"].as_str().unwrap().contains("\"initialize\""), "{}", lines[0]);
    it.agent.say("first").await;
    let lines = until(&mut client, "first").await;
    let last = lines.last().unwrap();
    assert_eq!((&last["from"], &last["isJson"]), (&json!("agent"), &json!(true)));
    assert!(last["at"].as_i64().unwrap() > 1_600_000_000_000_000);
}

#[tokio::test]
async fn secrets_are_masked_and_broken_rules_are_named() {
    let mut it = shared_tapped().await;
    let mut client = it.local();
    client.call("_attache/watch_trace", json!({ "agent": "a" })).await.unwrap();
    let secret = json!({ "jsonrpc": "2.0", "method": "_x", "params": { "token": "s3cret" } });
    it.agent.send(secret).await;
    it.agent.send(json!({ "method": "_broken" })).await;
    let lines = until(&mut client, "_broken").await;
    let texts: Vec<&str> = lines.iter().map(|line| line["text"].as_str().unwrap()).collect();
    assert!(!texts.concat().contains("s3cret") && texts.concat().contains("<hidden>"), "{texts:?}");
    let broken = &lines.last().unwrap()["broken"][0];
    assert_eq!((&broken["rule"], &broken["by"]), (&json!("RPC-01"), &json!("agent")));
}

#[tokio::test]
async fn a_watch_needs_control_and_ends_without_it() {
    let mut it = shared_tapped().await;
    let mut phone = it.device(Scope::Answer);
    for (method, params) in
        [("_attache/traces", json!({})), ("_attache/watch_trace", json!({ "agent": "a" }))]
    {
        let why = phone.refused(method, params).await;
        assert!(why.contains("needs the scope \"control\""), "{why}");
    }
    phone.scope.send_replace(Some(Scope::Control));
    phone.call("_attache/watch_trace", json!({ "agent": "a" })).await.unwrap();
    until(&mut phone, "initialize").await;
    phone.scope.send_replace(Some(Scope::Answer));
    it.agent.say("private").await;
    // The message has reached the rows, and the hub had the chance to send it.
    phone.call("_attache/watch_session", json!({ "agent": "a", "sessionId": "s1" })).await.unwrap();
    loop {
        let (method, params) = phone.notified().await;
        assert!(!params.to_string().contains("private") || method == "_attache/session");
        if params.to_string().contains("private") {
            break;
        }
    }
}
