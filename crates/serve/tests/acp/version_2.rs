//! Clients of version 2, beside clients of version 1.

use crate::shared::{Shared, end_turn, hello_version_2, prompt, prompted};
use attache_serve::{Place, Scope};
use serde_json::json;

#[tokio::test]
async fn clients_of_both_versions_share_a_session() {
    let mut shared = Shared::new();
    let mut old = shared.local(json!({})).await;
    let mut agent = shared.opened(&mut old).await;
    let (mut new, _scope) = shared.connect(Place::Socket, Scope::Control);
    let greeting = hello_version_2(&mut new).await;
    assert_eq!(greeting["protocolVersion"], 2);
    assert_eq!(greeting["info"]["name"], "attache");
    let params = json!({
        "sessionId": "a/s1", "cwd": shared.cwd(), "replayFrom": { "type": "start" },
    });
    new.call("session/resume", params).await;
    // The reply confirms the prompt, and an update ends the turn.
    let turn = new.start("session/prompt", prompt("go")).await;
    let (call, _) = prompted(&mut agent).await;
    let reply = new.reply(turn).await;
    let id = reply["result"]["messageId"].as_str().unwrap().to_owned();
    let is_prompt =
        |message: &serde_json::Value| message["params"]["update"]["messageId"] == id.as_str();
    new.find(is_prompt).await;
    let running = new.update("state_update").await;
    assert_eq!(running["state"], "running");
    old.hear("user_message_chunk", "go").await;
    agent.say("done").await;
    new.hear("agent_message_chunk", "done").await;
    old.hear("agent_message_chunk", "done").await;
    end_turn(&mut agent, &call).await;
    let idle = new.update("state_update").await;
    assert_eq!((&idle["state"], &idle["stopReason"]), (&json!("idle"), &json!("end_turn")));
}

#[tokio::test]
async fn a_client_of_version_2_answers_a_question() {
    let mut shared = Shared::new();
    let (mut client, _scope) = shared.connect(Place::Socket, Scope::Control);
    hello_version_2(&mut client).await;
    let mut agent = shared.opened(&mut client).await;
    client.start("session/prompt", prompt("go")).await;
    prompted(&mut agent).await;
    let options = json!([{ "optionId": "yes", "name": "Yes", "kind": "allow_once" }]);
    let call = json!({ "toolCallId": "t", "title": "Run it" });
    let params = json!({ "sessionId": "s1", "toolCall": call, "options": options });
    agent.call(7, "session/request_permission", params).await;
    let asked = client.asked("session/request_permission").await;
    assert_eq!(asked["params"]["title"], "Run it", "{asked}");
    let answer = json!({ "outcome": { "outcome": "selected", "optionId": "yes" } });
    client.answer(&asked, answer).await;
    assert_eq!(agent.answer_to(7).await["result"]["outcome"]["optionId"], "yes");
}

#[tokio::test]
async fn a_connection_keeps_its_version() {
    let mut shared = Shared::new();
    let (mut client, _scope) = shared.connect(Place::Socket, Scope::Control);
    hello_version_2(&mut client).await;
    let lower = json!({ "protocolVersion": 1 });
    let error = client.refused("initialize", lower).await;
    assert!(error.contains("open another connection"), "{error}");
    let close = json!({ "sessionId": "a/s1" });
    client.call("session/close", close).await;
}
