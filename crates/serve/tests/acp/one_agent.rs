//! Clients of one agent: to them, the hub is this agent.

use crate::client::Client;
use crate::scripted_agent::ScriptedAgent;
use crate::shared::{Shared, hello_version_2};
use attache_serve::Uses;
use serde_json::{Value, json};

/// Opens a session with two modes. Returns its agent, and the reply to the client.
async fn opened(shared: &mut Shared, client: &mut Client) -> (ScriptedAgent, Value) {
    hello_version_2(client).await;
    let call = client.start("session/new", shared.new_params()).await;
    let mut agent = shared.agent(0, json!({ "loadSession": true })).await;
    let new = agent.expect("session/new").await;
    let modes = json!({
        "currentModeId": "ask",
        "availableModes": [{ "id": "ask", "name": "Ask" }, { "id": "plan", "name": "Plan" }],
    });
    agent.reply(&new, json!({ "sessionId": "s1", "modes": modes })).await;
    let reply = client.reply(call).await;
    (agent, reply["result"].clone())
}

#[tokio::test]
async fn sessions_have_their_own_ids_and_no_option_for_the_agent() {
    let mut shared = Shared::new();
    let (mut client, _scope) = shared.connect_using(Uses::Only("a".to_owned()));
    let (_agent, session) = opened(&mut shared, &mut client).await;
    assert_eq!(session["sessionId"], "s1", "{session}");
    // Version 2 has no modes, so they are an option.
    let [mode] = session["configOptions"].as_array().unwrap().as_slice() else {
        panic!("{session}");
    };
    let of_mode = |field: &str| mode[field].as_str().unwrap_or_default().to_owned();
    assert_eq!((of_mode("configId"), of_mode("category")), ("mode".into(), "mode".into()));
    let listed = client.call("session/list", json!({})).await;
    assert_eq!(listed["sessions"][0]["sessionId"], "s1", "{listed}");

    let (mut other, _scope) = shared.connect_using(Uses::Only("b".to_owned()));
    hello_version_2(&mut other).await;
    let listing = other.start("session/list", json!({})).await;
    // The agent is started, because only it knows the sessions that it had elsewhere.
    let mut agent = shared.agent(1, json!({ "sessionCapabilities": { "list": {} } })).await;
    let list = agent.expect("session/list").await;
    let elsewhere = json!({ "sessionId": "s9", "cwd": "/elsewhere" });
    agent.reply(&list, json!({ "sessions": [elsewhere] })).await;
    let listed = other.reply(listing).await["result"]["sessions"].clone();
    let ids: Vec<_> = listed.as_array().unwrap().iter().map(|it| &it["sessionId"]).collect();
    assert_eq!(ids, ["s9"], "it has no session of the other agent");
}

#[tokio::test]
async fn new_sessions_are_of_the_agent_of_the_client() {
    for uses in [Uses::Any(Some("b".to_owned())), Uses::Only("b".to_owned())] {
        let mut shared = Shared::new();
        let (mut client, _scope) = shared.connect_using(uses);
        hello_version_2(&mut client).await;
        let call = client.start("session/new", shared.new_params()).await;
        let mut agent = shared.agent(1, json!({})).await;
        let new = agent.expect("session/new").await;
        agent.reply(&new, json!({ "sessionId": "s1" })).await;
        let session = client.reply(call).await;
        assert!(session["result"]["sessionId"].as_str().unwrap().contains("s1"), "{session}");
    }
}

#[tokio::test]
async fn the_mode_is_set_and_followed_and_the_methods_exist_without_negotiation() {
    let mut shared = Shared::new();
    let (mut client, _scope) = shared.connect_using(Uses::Only("a".to_owned()));
    let (mut agent, _) = opened(&mut shared, &mut client).await;
    let set = json!({ "sessionId": "s1", "configId": "mode", "type": "id", "value": "plan" });
    let setting = client.start("session/set_config_option", set).await;
    let call = agent.expect("session/set_mode").await;
    assert_eq!(call["params"]["modeId"], "plan");
    agent.reply(&call, json!({})).await;
    client.reply(setting).await;
    client
        .find(|message| {
            let update = &message["params"]["update"];
            update["sessionUpdate"] == "config_option_update"
                && update["configOptions"][0]["currentValue"] == "plan"
        })
        .await;

    let of = json!({ "agent": "a", "sessionId": "s1" });
    let draft = json!({ "agent": "a", "sessionId": "s1", "text": "later" });
    client.call("_attache/draft", draft).await;
    let unsent = client.call("_attache/unsent", of).await;
    assert_eq!(unsent, json!({ "draft": "later", "waiting": 0 }));
}
