//! Prompts of several clients, and what each of them sees.

use crate::shared::{Shared, end_turn, prompt, prompted};
use attache_serve::{Place, Scope};
use serde_json::json;

#[tokio::test]
async fn each_prompt_is_answered_at_the_end_of_its_own_turn() {
    let mut shared = Shared::new();
    let mut first = shared.local(json!({})).await;
    let mut agent = shared.opened(&mut first).await;
    let mut second = shared.local(json!({})).await;
    let params = shared.of("a/s1");
    second.call("session/load", params).await;
    let one = first.start("session/prompt", prompt("one")).await;
    let (call, text) = prompted(&mut agent).await;
    assert_eq!(text, "one");
    let two = second.start("session/prompt", prompt("two")).await;
    // Other clients' prompts are messages of the user.
    second.hear("user_message_chunk", "one").await;
    agent.say("1").await;
    let usage = json!({ "totalTokens": 3, "inputTokens": 1, "outputTokens": 2 });
    agent.reply(&call, json!({ "stopReason": "max_tokens", "usage": usage })).await;
    let reply = first.reply(one).await;
    assert_eq!(reply["result"]["stopReason"], "max_tokens");
    assert_eq!(reply["result"]["usage"]["totalTokens"], 3, "{reply}");
    // The updates of the turn came before its reply.
    assert!(first.has_seen("session/update"));
    first.hear("agent_message_chunk", "1").await;
    let (call, text) = prompted(&mut agent).await;
    assert_eq!(text, "two");
    first.hear("user_message_chunk", "two").await;
    end_turn(&mut agent, &call).await;
    assert_eq!(second.reply(two).await["result"]["stopReason"], "end_turn");
}

/// The hub may send a prompt to the agent before the call that queued it returns.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn however_fast_the_turns_are_a_client_does_not_get_its_own_prompts_back() {
    let mut shared = Shared::new();
    let mut client = shared.local(json!({})).await;
    let mut agent = shared.opened(&mut client).await;
    for number in 0..300 {
        let turn = client.start("session/prompt", prompt(&format!("number {number}"))).await;
        let (call, _) = prompted(&mut agent).await;
        end_turn(&mut agent, &call).await;
        client.reply(turn).await;
        assert!(!client.has_update("user_message_chunk"), "prompt {number}");
    }
}

/// A client of version 1 shows its own prompts by itself.
#[tokio::test]
async fn a_client_does_not_get_its_own_prompt_back() {
    let mut shared = Shared::new();
    let mut client = shared.local(json!({})).await;
    let mut agent = shared.opened(&mut client).await;
    let turn = client.start("session/prompt", prompt("one")).await;
    let (call, _) = prompted(&mut agent).await;
    agent.say("1").await;
    end_turn(&mut agent, &call).await;
    client.reply(turn).await;
    let update = client.find(|message| {
        let kind = &message["params"]["update"]["sessionUpdate"];
        kind == "user_message_chunk" || kind == "agent_message_chunk"
    });
    assert_eq!(update.await["params"]["update"]["sessionUpdate"], "agent_message_chunk");
}

#[tokio::test]
async fn a_cancel_ends_the_turn_and_removes_the_clients_own_waiting_prompts() {
    let mut shared = Shared::new();
    let mut first = shared.local(json!({})).await;
    let mut agent = shared.opened(&mut first).await;
    let mut second = shared.local(json!({})).await;
    let params = shared.of("a/s1");
    second.call("session/load", params).await;
    let running = first.start("session/prompt", prompt("running")).await;
    let (call, _) = prompted(&mut agent).await;
    let waiting = first.start("session/prompt", prompt("waiting")).await;
    first.settle().await;
    let other = second.start("session/prompt", prompt("other")).await;
    second.settle().await;
    first.notify("session/cancel", json!({ "sessionId": "a/s1" })).await;
    assert_eq!(first.reply(waiting).await["result"]["stopReason"], "cancelled");
    agent.expect("session/cancel").await;
    agent.reply(&call, json!({ "stopReason": "cancelled" })).await;
    assert_eq!(first.reply(running).await["result"]["stopReason"], "cancelled");
    // The prompt of the other client is sent.
    let (call, text) = prompted(&mut agent).await;
    assert_eq!(text, "other");
    end_turn(&mut agent, &call).await;
    second.reply(other).await;
}

#[tokio::test]
async fn a_cancelled_call_takes_its_prompt_out_of_the_queue() {
    let mut shared = Shared::new();
    let mut client = shared.local(json!({})).await;
    let mut agent = shared.opened(&mut client).await;
    let running = client.start("session/prompt", prompt("running")).await;
    let (call, _) = prompted(&mut agent).await;
    let waiting = client.start("session/prompt", prompt("waiting")).await;
    client.notify("$/cancel_request", json!({ "requestId": waiting })).await;
    client.reply(waiting).await;
    end_turn(&mut agent, &call).await;
    assert_eq!(client.reply(running).await["result"]["stopReason"], "end_turn");
    assert!(shared.hub.hub.sessions()[0].queue().is_empty());
}

#[tokio::test]
async fn content_that_the_agent_does_not_support_is_refused_with_the_reason() {
    let mut shared = Shared::new();
    let mut client = shared.local(json!({})).await;
    let _agent = shared.opened(&mut client).await;
    let image = json!({ "type": "image", "data": "AAAA", "mimeType": "image/png" });
    let params = json!({ "sessionId": "a/s1", "prompt": [image] });
    let error = client.refused("session/prompt", params).await;
    assert!(error.contains("does not accept image"), "{error}");
    assert!(shared.hub.hub.sessions()[0].queue().is_empty());
}

#[tokio::test]
async fn the_prompt_fails_with_the_reason_when_the_agent_dies() {
    let mut shared = Shared::new();
    let mut client = shared.local(json!({})).await;
    let mut watchers = Vec::new();
    let mut agent = shared.opened(&mut client).await;
    for _ in 0..3 {
        let mut watcher = shared.local(json!({})).await;
        let params = shared.of("a/s1");
        watcher.call("session/load", params).await;
        watchers.push(watcher);
    }
    let turn = client.start("session/prompt", prompt("go")).await;
    prompted(&mut agent).await;
    agent.say("almost").await;
    for watcher in &mut watchers {
        watcher.hear("agent_message_chunk", "almost").await;
    }
    drop(agent);
    let reply = client.reply(turn).await;
    assert!(reply["error"]["message"].is_string(), "{reply}");
    // The session can still be read.
    for watcher in &mut watchers {
        let params = shared.of("a/s1");
        watcher.call("session/load", params).await;
    }
}

/// Otherwise a client that does not read would fill the hub's memory.
#[tokio::test]
async fn a_slow_reader_gets_the_whole_text_in_few_updates() {
    let mut shared = Shared::new();
    let mut client = shared.local(json!({})).await;
    let mut agent = shared.opened(&mut client).await;
    let (mut slow, _scope) = shared.connect_with(Place::Socket, Scope::Control, 512);
    crate::shared::hello(&mut slow, json!({})).await;
    let params = shared.of("a/s1");
    slow.call("session/load", params).await;
    // Fills the connection, so that the follower has to wait.
    let big = "x".repeat(600 << 10);
    agent.say(&big).await;
    agent.heard().await;
    for _ in 0..2000 {
        agent.say("y").await;
    }
    agent.heard().await;
    let mut text = String::new();
    let mut updates = 0;
    while text.len() < big.len() + 2000 {
        text += slow.update("agent_message_chunk").await["content"]["text"].as_str().unwrap();
        updates += 1;
    }
    assert_eq!(text, big + &"y".repeat(2000));
    assert!(updates < 1000, "{updates} updates");
}
