//! Instructions and providers that a client sets.

use crate::client::Client;
use crate::projects::project;
use crate::provider::{KEY, anthropic, anthropic_at, bodies, coder, text, without_key};
use crate::server::Server;
use attache_agent::serve;
use serde_json::{Value, json};
use std::path::Path;

fn new_session(cwd: &Path) -> Value {
    json!({"cwd": cwd, "mcpServers": []})
}

/// SYSP-03, SYSP-04.
#[tokio::test]
async fn client_instructions_extend_or_replace_those_of_the_agent() {
    let replies =
        vec![anthropic(&[text("one")], "end_turn"), anthropic(&[text("two")], "end_turn")];
    let (server, project) = (Server::start(replies).await, project(&[("AGENTS.md", "Use tabs.")]));
    for mode in ["append", "override"] {
        let mut session = new_session(project.path());
        session["systemPrompt"] =
            json!({"mode": mode, "content": [{"type": "text", "text": "Speak Welsh."}]});
        let mut client =
            Client::serve_author(coder(&anthropic_at(&server.url)), json!({}), session).await;
        client.prompt("hello").await;
    }
    let bodies = bodies(&server);
    let told = |turn: usize| bodies[turn]["system"][0]["text"].as_str().unwrap().to_owned();
    for (turn, keeps) in [(0, true), (1, false)] {
        let told = told(turn);
        assert!(told.contains("Speak Welsh.") && told.contains("Use tabs."), "{told}");
        let first = bodies[turn]["messages"][0].to_string();
        let (_, note) = first.split_once("[Attaché ").unwrap();
        let (token, note) = note.split_once(": ").unwrap();
        assert!(note.starts_with(&format!("Mode now: ask {token}]")), "{first}");
        assert!(told.contains(&format!("`[Attaché {token}:`")), "{told}");
        assert_eq!(told.starts_with("Speak Welsh."), !keeps, "{told}");
        assert!(bodies[turn]["tools"].as_array().unwrap().len() > 5, "tools stay");
    }
}

/// PROV-02 to PROV-05.
#[tokio::test]
async fn provider_uses_the_address_of_the_client_until_it_is_disabled() {
    let (mine, theirs) = (
        Server::start(vec![anthropic(&[text("mine")], "end_turn")]).await,
        Server::start(vec![anthropic(&[text("theirs")], "end_turn")]).await,
    );
    let project = project(&[]);
    let mut client = Client::connect(serve(coder(&anthropic_at(&mine.url))), json!({})).await;
    let listed = |listed: &Value, id: &str| {
        let providers = listed["result"]["providers"].as_array().unwrap();
        providers.iter().find(|provider| provider["providerId"] == id).unwrap().clone()
    };
    let before = client.call("providers/list", json!({})).await.result;
    assert_eq!(listed(&before, "anthropic")["current"]["baseUrl"], mine.url);
    assert!(listed(&before, "mistral").get("current").is_none(), "it has no key");
    let set = |url: &str, value: &str| json!({"providerId": "anthropic", "apiType": "anthropic", "baseUrl": url, "headers": {"X-Gate": value}});
    for wrong in [set("ftp://x", "secret-value"), set(&theirs.url, "secret\nvalue")] {
        let refused = client.call("providers/set", wrong).await.result;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
        assert!(!refused.to_string().contains("secret"), "{refused}");
    }
    client.call("providers/set", set(&theirs.url, "secret-value")).await;
    let session = client.call("session/new", new_session(project.path())).await.result;
    let session = session["result"]["sessionId"].clone();
    let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": "hello"}]});
    let turn = client.call("session/prompt", prompt.clone()).await;
    assert_eq!(turn.text(), "theirs");
    without_key(&turn);
    let request = &theirs.requests()[0];
    assert!(
        request.to_lowercase().contains("x-gate: secret-value") && !request.contains(KEY),
        "{request}"
    );
    let now = client.call("providers/list", json!({})).await.result;
    assert_eq!(listed(&now, "anthropic")["current"]["baseUrl"], theirs.url);
    assert!(!now.to_string().contains("secret-value"), "{now}");

    client.call("providers/disable", json!({"providerId": "anthropic"})).await;
    let now = client.call("providers/list", json!({})).await.result;
    assert!(listed(&now, "anthropic").get("current").is_none(), "{now}");
    let other = client.call("session/new", new_session(project.path())).await.result;
    assert!(!other.to_string().contains("anthropic/"), "its models are not offered: {other}");
    let turn = client.call("session/prompt", prompt).await;
    assert!(
        turn.text() != "mine" && mine.requests().is_empty(),
        "the provider of the environment is not used again"
    );
}
