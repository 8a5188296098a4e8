//! Servers of today: what they refuse, explain and leave out.

use crate::client::Client;
use crate::projects::project;
use crate::provider::{
    anthropic, anthropic_at, bodies, chat_at, chat_text, error, open, text, thinking, tool_use,
};
use crate::server::{Reply, Server};
use serde_json::{Value, json};

/// A Chat Completions response without a count of tokens.
fn uncounted(said: &str) -> Reply {
    let event = |choice: Value| format!("data: {}\n\n", json!({ "choices": [choice] }));
    let begin = event(json!({ "index": 0, "delta": { "content": said }, "finish_reason": null }));
    let end = event(json!({ "index": 0, "delta": {}, "finish_reason": "stop" }));
    Reply::stream(&format!("{begin}{end}data: [DONE]\n\n"))
}

/// What the person saw outside of the answer.
fn asides(turn: &crate::client::Turn) -> String {
    format!("{:?} {:?}", turn.all("agent_thought_chunk"), turn.all("notice"))
}

/// USE-01, USE-10: the result has no usage if no provider counted, and the window is estimated.
#[tokio::test]
async fn unknown_usage_is_left_out_and_the_window_is_estimated() {
    let server = Server::start(vec![uncounted("one"), chat_text("two")]).await;
    let project = project(&[]);
    let mut client = open(project.path(), &chat_at(&server.url)).await;
    let turn = client.prompt("hello").await;
    assert_eq!((turn.stop_reason(), turn.text().as_str()), ("end_turn", "one"));
    assert_eq!(turn.result["result"].get("usage"), None, "{:?}", turn.result);
    let estimated = turn.all("usage_update")[0]["used"].as_u64().unwrap();
    assert!(estimated > 24, "{estimated}");
    let counted = client.prompt("again").await;
    assert_eq!(counted.result["result"]["usage"]["totalTokens"], 24);
    assert_eq!(counted.all("usage_update")[0]["used"], 24);
}

#[tokio::test]
async fn turn_that_is_cancelled_before_its_answer_has_no_usage() {
    let server = Server::start(vec![Reply::nothing().then_hang()]).await;
    let project = project(&[]);
    let mut client = open(project.path(), &chat_at(&server.url)).await;
    let prompt = json!([{ "type": "text", "text": "hello" }]);
    let id = client
        .start("session/prompt", json!({ "sessionId": client.session, "prompt": prompt }))
        .await;
    while server.requests().is_empty() {
        tokio::task::yield_now().await;
    }
    client.cancel().await;
    let turn = client.finish(id).await;
    assert_eq!(turn.stop_reason(), "cancelled");
    assert_eq!(turn.result["result"].get("usage"), None, "{:?}", turn.result);
}

/// The person sees why a provider refuses to answer.
#[tokio::test]
async fn refusal_is_explained_to_the_person() {
    let details = json!({ "type": "refusal", "category": "cyber", "explanation": "It asks\nfor an exploit." });
    let delta = json!({ "type": "message_delta", "delta": { "stop_reason": "refusal", "stop_details": details } });
    let end = json!({ "type": "message_stop" });
    let server =
        Server::start(vec![Reply::stream(&format!("data: {delta}\n\ndata: {end}\n\n"))]).await;
    let project = project(&[]);
    let turn = open(project.path(), &anthropic_at(&server.url)).await.prompt("hello").await;
    assert_eq!(turn.stop_reason(), "refusal");
    let said = "refuses to answer this (\"cyber: It asks for an exploit.\")";
    assert!(turn.text().contains(said), "{}", turn.text());
}

/// A conversation whose thoughts the provider refuses goes on without them, and later prompts send
/// none.
#[tokio::test]
async fn session_goes_on_without_the_thoughts_that_a_provider_refuses() {
    let bound = "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.";
    let refused =
        json!({ "type": "error", "error": { "type": "invalid_request_error", "message": bound } });
    let replies = vec![
        anthropic(
            &[thinking("hm", "seal"), text("quokka"), tool_use("t", "list", json!({}))],
            "tool_use",
        ),
        Reply::status(400, "", &refused.to_string()),
        anthropic(&[thinking("hm", "seal"), text("second")], "end_turn"),
        anthropic(&[text("third")], "end_turn"),
    ];
    let (server, project) = (Server::start(replies).await, project(&[]));
    let mut client = open(project.path(), &anthropic_at(&server.url)).await;
    let turn = client.prompt("go").await;
    assert_eq!((turn.stop_reason(), turn.text().as_str()), ("end_turn", "quokkasecond"));
    let aside = asides(&turn);
    assert!(aside.contains("refuses the earlier thoughts of this conversation"), "{aside}");
    assert_eq!(client.prompt("and then").await.text(), "third");
    let bodies = bodies(&server);
    let has = |words: &str| {
        bodies.iter().map(|body| body.to_string().contains(words)).collect::<Vec<_>>()
    };
    assert_eq!(has("\"seal\""), [false, true, false, false]);
    assert_eq!(has("quokka"), [false, true, true, true]);
}

/// A proxy that refuses the size of a request says so in its own words.
#[tokio::test]
async fn refused_size_keeps_the_words_of_the_server() {
    let page =
        "<html><body><h1>413 Request Entity Too Large</h1><hr>nginx/1.27</body></html>".to_owned();
    let server = Server::start(vec![Reply::status(413, "", &page)]).await;
    let project = project(&[]);
    let mut client: Client = open(project.path(), &chat_at(&server.url)).await;
    let (_, message) = error(&client.prompt("hello").await);
    assert!(message.contains("413 Request Entity Too Large nginx/1.27"), "{message}");
    assert!(!message.contains("conversation is too long"), "{message}");
}
