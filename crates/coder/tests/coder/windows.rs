//! Context windows that are unknown, or that a provider states only in an error.

use crate::client::{Client, Turn};
use crate::projects::project;
use crate::provider::{
    KEY, anthropic, anthropic_at, bodies, chat, chat_at, chat_calls, chat_text, coder, text,
    variables,
};
use crate::server::{Reply, Server};
use attache_coder::{Coder, Models};
use serde_json::{Value, json};
use std::path::Path;

fn shows() -> Value {
    json!({ "session": { "compaction": {}, "notices": {} } })
}

async fn open(cwd: &Path, given: &[(String, String)]) -> Client {
    let session = json!({ "cwd": cwd, "mcpServers": [] });
    Client::serve_author(coder(given), shows(), session).await
}

fn sizes(turn: &Turn) -> Vec<u64> {
    turn.all("usage_update").iter().map(|usage| usage["size"].as_u64().unwrap()).collect()
}

fn notices(turn: &Turn) -> String {
    format!("{:?}", turn.all("notice"))
}

/// An assumption about the window removes nothing: the model at this address gets the whole result
/// of its tool, and a conversation that is longer than what is assumed.
#[tokio::test]
async fn nothing_is_removed_because_of_an_assumed_window() {
    let big: String = (0..400).map(|line| format!("{line} is the number of this line\n")).collect();
    let long = "x".repeat(300_000);
    let server = Server::start(vec![
        chat(&[chat_calls(&[("c1", "read", r#"{"path":"big.txt"}"#)])], "tool_calls"),
        chat_text("read"),
        chat_text("one"),
        chat_text("two"),
    ])
    .await;
    let project = project(&[("big.txt", &big)]);
    let given =
        [chat_at(&server.url), variables(&[("ATTACHE_MODEL", "openai/next-big-thing")])].concat();
    let mut client = open(project.path(), &given).await;
    let turn = client.prompt("read it").await;
    assert_eq!(turn.text(), "read");
    let told = notices(&turn);
    for part in [
        "The context window of next-big-thing is unknown",
        "128,000 tokens are assumed until the provider states its limit",
        "~/.config/attache/models.json",
        r#"\"provider\\\": \\\"openai\\\""#,
        r#"\"window\\\": 128000"#,
    ] {
        assert!(told.replace('\\', "").contains(&part.replace('\\', "")), "{part}: {told}");
    }
    assert!(!told.contains("exceeded"), "{told}");
    assert_eq!(client.prompt(&long).await.text(), "one");
    let last = client.prompt(&long).await;
    assert_eq!((last.text().as_str(), last.all("notice").len()), ("two", 0));
    let bodies = bodies(&server);
    assert!(bodies[1].to_string().contains("399 is the number of this line"));
    let sent = bodies[3].to_string();
    assert!(sent.contains("399 is the number of this line") && sent.len() > 600_000);
}

/// Ollama silently cuts, so it gets what fits into its smallest window, and the notices say why.
#[tokio::test]
async fn ollama_gets_what_fits_into_its_smallest_window() {
    let big = "a line of some text that is long enough\n".repeat(400);
    let server = Server::start(vec![
        chat(&[chat_calls(&[("c1", "read", r#"{"path":"big.txt"}"#)])], "tool_calls"),
        chat_text("done"),
    ])
    .await;
    let project = project(&[("big.txt", &big)]);
    let host = server.url.trim_end_matches("/v1");
    let given = variables(&[("OLLAMA_HOST", host), ("ATTACHE_MODEL", "ollama/tiny")]);
    let mut client = open(project.path(), &given).await;
    let turn = client.prompt("read it").await;
    assert_eq!(turn.text(), "done");
    let told = notices(&turn);
    for part in [
        "silently cuts what is too long",
        "OLLAMA_CONTEXT_LENGTH",
        "exceeded the assumed context window of 4,096 tokens: the oldest 1 tool result",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(bodies(&server)[1].to_string().contains("[left out]"));
}

/// The limit that a provider states is the window of the following calls: usage updates have its
/// size, and the next turns compact before they send too much.
#[tokio::test]
async fn a_stated_limit_is_the_window_of_the_next_turns() {
    let overflow = json!({ "error": { "type": "invalid_request_error",
        "message": "prompt is too long: 13000 tokens > 12000 maximum" } });
    let server = Server::start(vec![
        anthropic(&[text("one")], "end_turn"),
        Reply::status(400, "", &overflow.to_string()),
        anthropic(&[text("a summary")], "end_turn"),
        anthropic(&[text("two")], "end_turn"),
        anthropic(&[text(&"three ".repeat(10_000))], "end_turn"),
        anthropic(&[text("another summary")], "end_turn"),
        anthropic(&[text("four")], "end_turn"),
    ])
    .await;
    let project = project(&[]);
    // The model has a window of 200,000 tokens in the user's list.
    let own = r#"{"models": [{"provider": "anthropic", "name": "big", "window": 200000}]}"#;
    let given = [
        anthropic_at(&server.url),
        variables(&[("ATTACHE_MODEL", "anthropic/big"), ("ATTACHE_TITLES", "off")]),
    ]
    .concat();
    let environment =
        |name: &str| given.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone());
    let coder = Coder::with(Models::of(&environment, Some(own)).unwrap());
    let session = json!({ "cwd": project.path(), "mcpServers": [] });
    let mut client = Client::serve_author(coder, shows(), session).await;
    let first = client.prompt(&"the first prompt ".repeat(800)).await;
    assert_eq!(sizes(&first), [200_000]);
    let second = client.prompt("go on").await;
    assert_eq!(second.text(), "two");
    let told = sizes(&second);
    assert!(!told.is_empty() && told.iter().all(|size| *size == 12_000), "{told:?}");
    assert!(client.prompt("tell me more").await.text().starts_with("three"));
    let last = client.prompt("and then").await;
    assert_eq!(last.text(), "four");
    let statuses: Vec<_> =
        last.all("compaction_update").iter().map(|update| update["status"].clone()).collect();
    assert_eq!(statuses, ["in_progress", "completed"]);
    assert_eq!(server.requests().len(), 7, "no other call was refused");
}

/// A model whose window was unknown has a window after the provider has stated its limit.
#[tokio::test]
async fn a_stated_limit_ends_an_assumption() {
    let overflow = json!({ "error": { "code": "context_length_exceeded",
        "message": "This model's maximum context length is 31000 tokens." } });
    let server = Server::start(vec![
        chat_text("one"),
        Reply::status(400, "", &overflow.to_string()),
        chat_text("a summary"),
        chat_text("two"),
    ])
    .await;
    let project = project(&[]);
    let given = variables(&[
        ("OPENAI_API_KEY", KEY),
        ("OPENAI_BASE_URL", &server.url),
        ("ATTACHE_MODEL", "openai/next-big-thing"),
    ]);
    let mut client = open(project.path(), &given).await;
    let first = client.prompt(&"the first prompt ".repeat(9000)).await;
    assert_eq!((first.text().as_str(), sizes(&first).len()), ("one", 0));
    let second = client.prompt("go on").await;
    assert_eq!(second.text(), "two", "{second:?}");
    let told = sizes(&second);
    assert!(!told.is_empty() && told.iter().all(|size| *size == 31_000), "{told:?}");
}
