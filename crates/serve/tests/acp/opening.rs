//! The handshake, and new, stored, listed and closed sessions.

use crate::shared::{Shared, end_turn, hello, prompt, prompted};
use attache_serve::{Place, Scope, SessionChange};
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn the_hub_offers_what_any_agent_may_support() {
    let mut shared = Shared::new();
    let (mut client, _scope) = shared.connect(Place::Socket, Scope::Control);
    let early = client.refused("session/list", json!({})).await;
    assert!(early.contains("call initialize first"), "{early}");
    let greeting = hello(&mut client, json!({})).await;
    assert_eq!(greeting["agentInfo"]["name"], "attache");
    assert_eq!(greeting["protocolVersion"], 1);
    let offered = &greeting["agentCapabilities"];
    assert_eq!(offered["loadSession"], true);
    assert_eq!(offered["promptCapabilities"]["image"], true);
    for method in ["list", "resume", "close", "fork", "delete", "archive", "title"] {
        assert!(offered["sessionCapabilities"][method].is_object(), "{method}");
    }
    assert_eq!(greeting["authMethods"].as_array().map_or(0, Vec::len), 0);
    assert_eq!(shared.hub.clients()[0].name(), "Test client");
}

#[tokio::test]
async fn a_new_session_has_an_option_for_the_agent() {
    let mut shared = Shared::new();
    let mut client = shared.local(json!({})).await;
    let call = client.start("session/new", shared.new_params()).await;
    let mut agent = shared.agent(0, json!({})).await;
    let new = agent.expect("session/new").await;
    agent.reply(&new, json!({ "sessionId": "s/1" })).await;
    let reply = client.reply(call).await;
    assert_eq!(reply["result"]["sessionId"], "a/s/1");
    let option = &reply["result"]["configOptions"][0];
    assert_eq!((&option["id"], &option["currentValue"]), (&json!("attache.agent"), &json!("a")));
    let values: Vec<_> = option["options"].as_array().unwrap().iter().collect();
    assert_eq!(values.len(), 2, "{option}");
}

#[tokio::test]
async fn the_metadata_of_a_new_session_chooses_the_agent() {
    let mut shared = Shared::new();
    let mut client = shared.local(json!({})).await;
    let mut params = shared.new_params();
    params["_meta"] = json!({ "attache": { "agent": "b" } });
    let call = client.start("session/new", params.clone()).await;
    let mut agent = shared.agent(1, json!({})).await;
    let new = agent.expect("session/new").await;
    agent.reply(&new, json!({ "sessionId": "s1" })).await;
    assert_eq!(client.reply(call).await["result"]["sessionId"], "b/s1");
    params["_meta"] = json!({ "attache": { "agent": "z" } });
    let error = client.refused("session/new", params).await;
    assert!(error.contains("no agent \"z\""), "{error}");
}

#[tokio::test]
async fn a_session_moves_to_another_agent_before_its_first_prompt() {
    let mut shared = Shared::new();
    let mut client = shared.local(json!({})).await;
    let _first = shared.opened(&mut client).await;
    let params = json!({ "sessionId": "a/s1", "configId": "attache.agent", "value": "b" });
    let call = client.start("session/set_config_option", params).await;
    let mut agent = shared.agent(1, json!({})).await;
    let new = agent.expect("session/new").await;
    agent.reply(&new, json!({ "sessionId": "t1" })).await;
    let reply = client.reply(call).await;
    assert_eq!(reply["result"]["configOptions"][0]["currentValue"], "b", "{reply}");
    assert!(shared.hub.hub.session("a", &"s1".into()).is_none());
    let turn = client.start("session/prompt", prompt("go")).await;
    let (call, text) = prompted(&mut agent).await;
    assert_eq!(text, "go");
    end_turn(&mut agent, &call).await;
    assert_eq!(client.reply(turn).await["result"]["stopReason"], "end_turn");
    let params = json!({ "sessionId": "a/s1", "configId": "attache.agent", "value": "a" });
    let error = client.refused("session/set_config_option", params).await;
    assert!(error.contains("open a new session"), "{error}");
    // Another client that kept the first id gets the same session.
    let mut other = shared.local(json!({})).await;
    let params = shared.of("a/s1");
    other.call("session/load", params).await;
    other.hear("user_message_chunk", "go").await;
}

#[tokio::test]
async fn a_loaded_session_is_replayed_before_the_reply_and_then_followed() {
    let mut shared = Shared::new();
    let mut first = shared.local(json!({})).await;
    let mut agent = shared.opened(&mut first).await;
    let turn = first.start("session/prompt", prompt("go")).await;
    let (call, _) = prompted(&mut agent).await;
    agent.say("Hello").await;
    first.hear("agent_message_chunk", "Hello").await;
    let mut second = shared.local(json!({})).await;
    let load = second.start("session/load", shared.of("a/s1")).await;
    let reply = second.reply(load).await;
    assert_eq!(reply["result"]["configOptions"][0]["id"], "attache.agent", "{reply}");
    // All of these came before the reply.
    assert!(second.has_seen("session/update"));
    second.hear("user_message_chunk", "go").await;
    second.hear("agent_message_chunk", "Hello").await;
    agent.say(", world").await;
    second.hear("agent_message_chunk", ", world").await;
    first.hear("agent_message_chunk", ", world").await;
    end_turn(&mut agent, &call).await;
    first.reply(turn).await;
}

#[tokio::test]
async fn a_resumed_session_is_followed_without_its_history() {
    let mut shared = Shared::new();
    let mut first = shared.local(json!({})).await;
    let mut agent = shared.opened(&mut first).await;
    agent.say("old").await;
    first.hear("agent_message_chunk", "old").await;
    let mut second = shared.local(json!({})).await;
    let params = shared.of("a/s1");
    second.call("session/resume", params).await;
    agent.say(" new").await;
    second.hear("agent_message_chunk", " new").await;
}

#[tokio::test]
async fn an_unknown_session_is_refused() {
    let mut shared = Shared::new();
    let mut client = shared.local(json!({})).await;
    for id in ["plain", "z/s1"] {
        let params = shared.of(id);
        client.refused("session/load", params).await;
    }
    client.refused("session/prompt", prompt("go")).await;
    client.refused("session/close", json!({ "sessionId": "a/s1" })).await;
}

#[tokio::test]
async fn the_list_has_the_sessions_of_all_agents() {
    let mut shared = Shared::new();
    let mut client = shared.local(json!({})).await;
    let _a = shared.opened(&mut client).await;
    let mut params = shared.new_params();
    params["_meta"] = json!({ "attache": { "agent": "b" } });
    let call = client.start("session/new", params).await;
    let mut b = shared.agent(1, json!({})).await;
    let new = b.expect("session/new").await;
    b.reply(&new, json!({ "sessionId": "s1" })).await;
    client.reply(call).await;
    let listed = client.call("session/list", json!({})).await;
    let mut ids: Vec<_> = listed["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|session| session["sessionId"].as_str().unwrap().to_owned())
        .collect();
    ids.sort();
    assert_eq!(ids, ["a/s1", "b/s1"]);
    let error = client.refused("session/list", json!({ "cursor": "x" })).await;
    assert!(error.contains("cursor"), "{error}");
}

#[tokio::test]
async fn a_session_ends_when_the_last_client_closes_it() {
    let mut shared = Shared::new();
    let mut first = shared.local(json!({})).await;
    let _agent = shared.opened(&mut first).await;
    let mut second = shared.local(json!({})).await;
    let params = shared.of("a/s1");
    second.call("session/load", params).await;
    let id = json!({ "sessionId": "a/s1" });
    first.call("session/close", id.clone()).await;
    assert!(shared.hub.hub.session("a", &"s1".into()).is_some());
    second.call("session/close", id).await;
    assert!(shared.hub.hub.session("a", &"s1".into()).is_none());
}

#[tokio::test]
async fn a_session_and_its_prompts_go_on_when_the_client_disconnects() {
    let mut shared = Shared::new();
    let mut first = shared.local(json!({})).await;
    let mut agent = shared.opened(&mut first).await;
    first.start("session/prompt", prompt("go")).await;
    let (call, _) = prompted(&mut agent).await;
    first.start("session/prompt", prompt("and this")).await;
    first.settle().await;
    drop(first);
    while !shared.hub.clients().is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let mut second = shared.local(json!({})).await;
    let params = shared.of("a/s1");
    second.call("session/load", params).await;
    agent.say("done").await;
    second.hear("agent_message_chunk", "done").await;
    end_turn(&mut agent, &call).await;
    assert_eq!(prompted(&mut agent).await.1, "and this", "the agent was sent no cancel before");
}

#[tokio::test]
async fn titles_archive_and_delete_reach_the_hub() {
    let mut shared = Shared::new();
    let mut client = shared.local(json!({})).await;
    let _agent = shared.opened(&mut client).await;
    let id = json!({ "sessionId": "a/s1" });
    let title = json!({ "sessionId": "a/s1", "title": " Tidy  up " });
    assert_eq!(client.call("session/set_title", title).await["title"], "Tidy up");
    client.call("session/archive", id.clone()).await;
    client.call("session/unarchive", id.clone()).await;
    client.call("session/delete", id).await;
    let changes = shared.services.changes.lock().unwrap().clone();
    assert_eq!(
        changes,
        [
            SessionChange::Rename("Tidy up".to_owned()),
            SessionChange::Archive(true),
            SessionChange::Archive(false),
            SessionChange::Delete,
        ]
    );
    assert!(shared.hub.hub.session("a", &"s1".into()).is_none());
}

#[tokio::test]
async fn options_and_modes_are_set_at_the_agent() {
    let mut shared = Shared::new();
    let mut client = shared.local(json!({})).await;
    let option = |value: &str| {
        json!([{ "id": "model", "name": "Model", "type": "select", "currentValue": value,
            "options": [{ "value": "x", "name": "X" }, { "value": "y", "name": "Y" }] }])
    };
    let opened = json!({ "sessionId": "s1", "configOptions": option("x") });
    let mut agent = shared.opened_with(&mut client, json!({}), opened).await;
    let params = json!({ "sessionId": "a/s1", "configId": "model", "value": "y" });
    let call = client.start("session/set_config_option", params).await;
    let set = agent.expect("session/set_config_option").await;
    assert_eq!(set["params"]["sessionId"], "s1");
    agent.reply(&set, json!({ "configOptions": option("y") })).await;
    let reply = client.reply(call).await;
    assert_eq!(reply["result"]["configOptions"][1]["currentValue"], "y", "{reply}");
    let params = json!({ "sessionId": "a/s1", "configId": "model", "value": "z" });
    let error = client.refused("session/set_config_option", params).await;
    assert!(error.contains("\"y\""), "{error}");
}
