//! The fallback model, which continues when a provider fails permanently.

use crate::client::{Client, Turn};
use crate::projects::project;
use crate::provider::{
    KEY, anthropic_begin, bodies, chat_text, coder, error, text, thinking, variables, without_key,
};
use crate::server::{Reply, Server};
use serde_json::{Value, json};

/// Opens a session whose model is at the address `first` and whose fallback is at `second`.
async fn opened(
    first: &Server,
    second: &Server,
    fallback: &str,
    capabilities: Value,
) -> (Client, tempfile::TempDir) {
    let variables = variables(&[
        ("ANTHROPIC_API_KEY", KEY),
        ("ANTHROPIC_BASE_URL", &first.url),
        ("OPENAI_API_KEY", KEY),
        ("OPENAI_BASE_URL", &second.url),
        ("ATTACHE_FALLBACK", fallback),
    ]);
    let project = project(&[]);
    let session = json!({ "cwd": project.path(), "mcpServers": [] });
    (Client::serve_author(coder(&variables), capabilities, session).await, project)
}

fn quota() -> Reply {
    let error = json!({ "type": "billing_error", "message": "Your credit balance is too low" });
    Reply::status(402, "", &json!({ "error": error }).to_string())
}

fn model(turn: &Turn) -> String {
    let options = turn.all("config_option_update")[0]["configOptions"].as_array().unwrap().clone();
    let model = options.iter().find(|option| option["id"] == "model").unwrap();
    model["currentValue"].as_str().unwrap().to_owned()
}

/// CONF-03: the switch is announced in the options and in the text, and it is permanent.
#[tokio::test]
async fn fallback_continues_and_the_person_is_told() {
    for notices in [false, true] {
        let replies = vec![chat_text("Here I am."), chat_text("Still me.")];
        let (first, second) = (Server::start(vec![quota()]).await, Server::start(replies).await);
        let capabilities =
            if notices { json!({ "session": { "notices": {} } }) } else { json!({}) };
        let (mut client, _project) =
            opened(&first, &second, "openai/gpt-4o-mini", capabilities).await;
        let turn = client.prompt("hello").await;
        assert_eq!(
            (turn.stop_reason(), model(&turn).as_str()),
            ("end_turn", "openai/gpt-4o-mini"),
            "{turn:?}"
        );
        let words = "continues instead of the chosen model";
        match notices {
            true => {
                let notice = turn.all("notice")[0];
                assert!(notice["title"].as_str().unwrap().contains(words), "{notice}");
                assert!(
                    notice["description"].as_str().unwrap().contains("quota or credit"),
                    "{notice}"
                );
                assert_eq!(turn.text(), "Here I am.");
            }
            false => {
                assert!(
                    turn.text().contains(words) && turn.text().ends_with("Here I am."),
                    "{}",
                    turn.text()
                )
            }
        }
        assert_eq!(client.prompt("again").await.text(), "Still me.");
        assert_eq!((first.requests().len(), second.requests().len()), (1, 2));
        without_key(&turn);
    }
}

/// Text before the failure appears once, and the other model is asked to continue from there. It
/// does not get the thoughts of the first model. If the person was told that another answer
/// replaces the text, the other model starts from the beginning.
#[tokio::test]
async fn text_before_the_failure_is_not_repeated() {
    let credit =
        json!({ "type": "error", "error": { "type": "billing_error", "message": "Your credit" } });
    let begun = anthropic_begin(&[thinking("hm", "sig"), text("The answer is forty-")]);
    let ended = Reply::stream(&format!("{begun}data: {credit}\n\n"));
    for (replies, said, goes_on) in [
        (vec![ended], "The answer is forty-42.", true),
        (vec![Reply::broken(&begun), quota()], "the next answer replaces it.)\n\n42.", false),
    ] {
        let (first, second) =
            (Server::start(replies).await, Server::start(vec![chat_text("42.")]).await);
        let capabilities = json!({ "session": { "notices": {} } });
        let (mut client, _project) =
            opened(&first, &second, "openai/gpt-6-luna", capabilities).await;
        let turn = client.prompt("what is it?").await;
        assert!(turn.stop_reason() == "end_turn" && turn.text().ends_with(said), "{}", turn.text());
        let body = bodies(&second)[0].to_string();
        assert!(!body.contains("sig"), "{body}");
        assert_eq!(
            body.contains("The answer is forty-") && body.contains("was cut off"),
            goes_on,
            "{body}"
        );
        assert_eq!(body.contains("forty"), goes_on, "{body}");
    }
}

/// The fallback is not used for a wrong key or request, which the person must fix. Without a
/// fallback, or if the fallback fails too, the error is reported.
#[tokio::test]
async fn fallback_is_not_used_if_it_cannot_help() {
    let wrong = |status, kind: &str| {
        let error = json!({ "error": { "type": kind, "message": "no" } });
        Reply::status(status, "", &error.to_string())
    };
    let login = -32000;
    for (reply, fallback, expected, said) in [
        (wrong(401, "authentication_error"), "openai/gpt-6-luna", login, "does not accept the key"),
        (wrong(400, "invalid_request_error"), "openai/gpt-6-luna", -32603, "rejects the request"),
        (quota(), "", -32603, "quota or credit"),
        (quota(), "nobody/knows", -32603, "quota or credit"),
        (quota(), "anthropic/claude-sonnet-5-5", -32603, "quota or credit"),
    ] {
        let (first, second) = (Server::start(vec![reply]).await, Server::start(Vec::new()).await);
        let (mut client, _project) = opened(&first, &second, fallback, json!({})).await;
        let turn = client.prompt("hello").await;
        let (code, message) = error(&turn);
        assert!(code == expected && message.contains(said), "{fallback}: {message}");
        assert!(turn.all("config_option_update").is_empty());
    }
    let (first, second) = (Server::start(vec![quota()]).await, Server::start(vec![quota()]).await);
    let (mut client, _project) = opened(&first, &second, "openai/gpt-6-luna", json!({})).await;
    let (code, message) = error(&client.prompt("hello").await);
    assert!(code == -32603 && message.contains("OpenAI reports that the quota"), "{message}");
}

/// A model that its provider does not know any more is replaced by the fallback. Without one, the
/// error names a model that the provider has.
#[tokio::test]
async fn retired_model_uses_the_fallback_or_names_a_replacement() {
    let gone = || {
        let error = json!({ "type": "not_found_error", "message": "model: claude-sonnet-3-9" });
        Reply::status(404, "", &json!({ "type": "error", "error": error }).to_string())
    };
    for has_fallback in [true, false] {
        let first = Server::start(vec![gone()]).await;
        let second = Server::start(vec![chat_text("Here I am.")]).await;
        let fallback = if has_fallback { "openai/gpt-4o-mini" } else { "" };
        let variables = variables(&[
            ("ANTHROPIC_API_KEY", KEY),
            ("ANTHROPIC_BASE_URL", &first.url),
            ("OPENAI_API_KEY", KEY),
            ("OPENAI_BASE_URL", &second.url),
            ("ATTACHE_MODEL", "anthropic/claude-sonnet-3-9"),
            ("ATTACHE_FALLBACK", fallback),
        ]);
        let project = project(&[]);
        let session = json!({ "cwd": project.path(), "mcpServers": [] });
        let mut client = Client::serve_author(coder(&variables), json!({}), session).await;
        let turn = client.prompt("hello").await;
        if has_fallback {
            assert!(turn.text().ends_with("Here I am."), "{turn:?}");
            assert!(turn.text().contains("anthropic has no model claude-sonnet-3-9"), "{turn:?}");
            continue;
        }
        let (_, message) = error(&turn);
        assert!(message.contains("; use anthropic/claude-sonnet-"), "{message}");
    }
}

/// CONF-06: a fallback that its provider does not list can be chosen. A fallback without a provider
/// is reported.
#[tokio::test]
async fn missing_fallback_is_reported_when_the_session_opens() {
    let project = project(&[]);
    let session = json!({ "cwd": project.path(), "mcpServers": [] });
    let variables = variables(&[("OPENAI_API_KEY", KEY), ("ATTACHE_FALLBACK", "nobody/knows")]);
    let capabilities = json!({ "session": { "notices": {} } });
    let mut client = Client::connect(attache_agent::serve(coder(&variables)), capabilities).await;
    let id = client.start("session/new", session).await;
    client.finish(id).await;
    let told = client.receive().await;
    assert_eq!(
        told["params"]["update"]["title"],
        "The setting fallback names nobody/knows, which no provider has",
        "{told}"
    );
}
