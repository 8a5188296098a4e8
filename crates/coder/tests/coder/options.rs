//! The available models, and the options that depend on the choice.

use crate::client::Client;
use crate::projects::project;
use crate::provider::{KEY, chat_text, coder, error, known, local_coder, open, stored, variables};
use crate::server::{Reply, Server};
use attache_agent::serve;
use attache_session::MemoryStore;
use serde_json::{Value, json};

fn option<'o>(options: &'o Value, id: &str) -> Option<&'o Value> {
    options.as_array().unwrap().iter().find(|option| option["id"] == id)
}

/// The values of a select, by group.
fn values(option: &Value) -> Vec<&str> {
    let groups = option["options"].as_array().unwrap().iter();
    let values = groups.flat_map(|group| group["options"].as_array().unwrap());
    values.map(|value| value["value"].as_str().unwrap()).collect()
}

async fn options(given: &[(&str, &str)]) -> Value {
    let project = project(&[]);
    let client = open(project.path(), &variables(given)).await;
    client.opened["result"]["configOptions"].clone()
}

/// CONF-19: models are grouped by provider, with `offline` in the last group. The first model of
/// the first provider is the default.
#[tokio::test]
async fn models_are_grouped_by_provider() {
    let options = options(&[("ANTHROPIC_API_KEY", KEY), ("OPENAI_API_KEY", KEY)]).await;
    let model = option(&options, "model").unwrap();
    assert_eq!(
        (&model["currentValue"], &model["category"]),
        (&json!("anthropic/claude-sonnet-5-5"), &json!("model"))
    );
    let groups = model["options"].as_array().unwrap();
    let names: Vec<_> = groups.iter().map(|group| group["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Anthropic", "OpenAI", "No provider"]);
    assert_eq!(groups[2]["options"][0]["value"], "offline");
    let prices = known("anthropic/claude-sonnet-5-5").prices.unwrap();
    let description = format!(
        "Context window of 1M tokens; ${} per million tokens in, ${} out",
        prices.input, prices.output
    );
    assert_eq!(groups[0]["options"][0]["description"], description);
    assert!(!options.to_string().contains(KEY));
}

#[tokio::test]
async fn environment_names_the_model_of_a_new_session() {
    let keys = [("ANTHROPIC_API_KEY", KEY), ("OPENAI_API_KEY", KEY)];
    for (wish, model) in [
        ("openai/gpt-6-luna", "openai/gpt-6-luna"),
        ("gpt-6-luna", "openai/gpt-6-luna"),
        ("anthropic/claude-next", "anthropic/claude-next"),
        ("offline", "offline"),
    ] {
        let options = options(&[keys[0], keys[1], ("ATTACHE_MODEL", wish)]).await;
        assert_eq!(option(&options, "model").unwrap()["currentValue"], model, "{wish}");
    }
    // `OPENAI_BASE_URL` without a key names a server that is not OpenAI, so OpenAI's models are not
    // offered.
    let server = ("OPENAI_BASE_URL", "http://127.0.0.1:9/v1");
    let named = options(&[server, ("ATTACHE_MODEL", "openai/mine")]).await;
    let model = option(&named, "model").unwrap();
    assert_eq!(
        (&model["currentValue"], values(model)),
        (&json!("openai/mine"), vec!["openai/mine", "offline"])
    );
}

/// AUTH-01: a session does not open with an unusable model, and the error says which variable to
/// set. The offline model does not answer instead.
#[tokio::test]
async fn unusable_model_opens_no_session_and_says_why() {
    let server = ("OPENAI_BASE_URL", "http://127.0.0.1:9/v1");
    let key = ("ANTHROPIC_API_KEY", KEY);
    for (given, said) in [
        (
            vec![("ATTACHE_MODEL", "openai/gpt-6-luna")],
            "set OPENAI_API_KEY or run \"attache config key openai\"",
        ),
        (
            vec![("ATTACHE_MODEL", "openai/gpt-6-luna"), ("ATTACHE_HUB", "1")],
            "set OPENAI_API_KEY in the profile of your login shell; then run \"attache serve restart\"",
        ),
        (vec![("ATTACHE_MODEL", "gpt-6-luna")], "\"gpt-6-luna\" needs a key: set OPENAI_API_KEY"),
        (vec![("ATTACHE_MODEL", "openai/never-heard-of"), key], "needs a key: set OPENAI_API_KEY"),
        (vec![("ATTACHE_MODEL", "anthropic/claude-sonnet-5-5"), server], "set ANTHROPIC_API_KEY"),
        (
            vec![("ATTACHE_MODEL", "nobody/knows"), key],
            "there is no model \"nobody/knows\": set ATTACHE_MODEL to",
        ),
        (
            vec![("ATTACHE_MODEL", "nonsense"), key],
            "there is no model \"nonsense\": set ATTACHE_MODEL to",
        ),
        (vec![("ATTACHE_MODEL", "anthropic/"), key], "there is no model \"anthropic/\""),
        (vec![("ATTACHE_MODEL", "ollama/tiny")], "needs the server ollama"),
    ] {
        let project = project(&[]);
        let mut client = Client::connect(serve(coder(&variables(&given))), json!({})).await;
        let opened =
            client.begin("session/new", json!({ "cwd": project.path(), "mcpServers": [] })).await;
        assert_eq!(opened.result["error"]["code"], -32000, "{given:?}: {:?}", opened.result);
        let message = opened.result["error"]["message"].as_str().unwrap();
        assert!(message.contains(said), "{given:?}: {message}");
        let login = client.call("authenticate", json!({ "methodId": "provider-key" })).await;
        assert!(
            login.result["error"]["message"].as_str().unwrap().contains(said),
            "{:?}",
            login.result
        );
        assert!(
            client.call("session/list", json!({})).await.result["error"].is_null(),
            "other sessions can be listed"
        );
    }
}

/// A stored session whose model no longer has a key is loaded with that model. Its prompts fail
/// because of the missing key until another model is chosen.
#[tokio::test]
async fn stored_session_keeps_a_model_that_lost_its_key() {
    let (project, store) = (project(&[]), MemoryStore::default());
    let mut client = stored(&store, &variables(&[("OPENAI_API_KEY", KEY)])).await;
    client.begin("session/new", json!({ "cwd": project.path(), "mcpServers": [] })).await;
    client.set("model", "openai/gpt-6-luna").await;
    let id = client.session.clone();
    client.close().await;
    let mut client = stored(&store, &[]).await;
    client
        .begin("session/load", json!({ "sessionId": id, "cwd": project.path(), "mcpServers": [] }))
        .await;
    let model = option(&client.opened["result"]["configOptions"], "model").unwrap();
    assert_eq!(model["currentValue"], "openai/gpt-6-luna", "{}", client.opened);
    let (code, message) = error(&client.prompt("help").await);
    assert!(code == -32000 && message.contains("set OPENAI_API_KEY"), "{code} {message}");
    assert!(
        client.prompt("/help").await.text().contains("openai/gpt-6-luna"),
        "the agent's own commands work"
    );
    client.set("model", "offline").await;
    assert_eq!(client.prompt("help").await.stop_reason(), "end_turn");
}

/// If the client disables a provider, its models are gone too. Prompts fail with the reason, and
/// the offline model does not answer instead.
#[tokio::test]
async fn disabled_provider_answers_no_prompt() {
    let project = project(&[]);
    let mut client = open(project.path(), &variables(&[("OPENAI_API_KEY", KEY)])).await;
    client.call("providers/disable", json!({ "providerId": "openai" })).await;
    let (code, message) = error(&client.prompt("help").await);
    assert!(code == -32000 && message.contains("the client disabled OpenAI"), "{code} {message}");
}

/// AUTH-05: every client is told how to add a key. The method that needs a terminal is only for
/// clients that support it.
#[tokio::test]
async fn client_learns_how_to_add_a_key() {
    for (terminal, ids) in [(true, vec!["provider-key", "add-key"]), (false, vec!["provider-key"])]
    {
        let capabilities = json!({ "auth": { "terminal": terminal } });
        let mut client = Client::connect(serve(coder(&[])), capabilities).await;
        let methods = client.initialized["result"]["authMethods"].as_array().unwrap().clone();
        let told: Vec<_> = methods.iter().map(|method| method["id"].as_str().unwrap()).collect();
        assert_eq!(told, ids);
        assert!(
            methods[0]["description"].as_str().unwrap().contains("attache config key"),
            "{methods:?}"
        );
        let done = client.call("authenticate", json!({ "methodId": "provider-key" })).await;
        assert!(done.result["error"].is_null(), "nothing is missing: {:?}", done.result);
    }
}

/// CONF-02, CONF-07: the thinking level depends on the model. It keeps its value if possible, and
/// disappears if the model has no levels.
#[tokio::test]
async fn thinking_level_depends_on_the_model() {
    let project = project(&[]);
    let given = variables(&[
        ("ANTHROPIC_API_KEY", KEY),
        ("OPENAI_API_KEY", KEY),
        ("DASHSCOPE_API_KEY", KEY),
    ]);
    let mut client = open(project.path(), &given).await;
    let ids = |options: &Value| -> Vec<String> {
        options
            .as_array()
            .unwrap()
            .iter()
            .map(|option| option["id"].as_str().unwrap().to_owned())
            .collect()
    };
    let opened = client.opened["result"]["configOptions"].clone();
    assert_eq!(ids(&opened), ["mode", "model", "thought_level", "show_thoughts"]);
    let level = option(&opened, "thought_level").unwrap();
    assert_eq!(
        (&level["currentValue"], &level["category"]),
        (&json!("high"), &json!("thought_level"))
    );
    client.set("thought_level", "low").await;
    let set = client.set("model", "openai/gpt-6-sol").await["result"]["configOptions"].clone();
    assert_eq!(
        option(&set, "thought_level").unwrap()["currentValue"],
        "low",
        "the new model has the level, so it stays"
    );
    for without in ["qwen/qwen3.8-max", "offline"] {
        let set = client.set("model", without).await["result"]["configOptions"].clone();
        assert_eq!(ids(&set), ["mode", "model", "show_thoughts"], "{without}");
    }
    let refused = client.set("model", "openai/gpt-9").await;
    assert_eq!(refused["error"]["code"], -32602);
}

/// A server on this machine is found and needs no key. Its model has the context window that the
/// server reports.
#[tokio::test]
async fn local_server_is_found_with_its_window() {
    let answer = |value: Value| Reply::status(200, "", &value.to_string());
    let replies = vec![
        answer(json!({ "models": [{ "name": "tiny:latest" }] })),
        answer(json!({ "models": [] })),
        answer(
            json!({ "parameters": "num_ctx 8192", "model_info": { "x.context_length": 32768 } }),
        ),
        chat_text("small but here"),
    ];
    let (server, project) = (Server::start(replies).await, project(&[]));
    let host = server.url.trim_end_matches("/v1").to_owned();
    let given = variables(&[("OLLAMA_HOST", &host), ("ATTACHE_MODEL", "ollama/tiny")]);
    let session = json!({ "cwd": project.path(), "mcpServers": [] });
    let mut client = Client::serve_author(local_coder(&given), json!({}), session).await;
    let options = client.opened["result"]["configOptions"].clone();
    let model = option(&options, "model").unwrap();
    assert_eq!(model["currentValue"], "ollama/tiny");
    let values = model["options"][0]["options"].as_array().unwrap();
    assert_eq!(
        (values.len(), &values[0]["description"]),
        (2, &json!("Context window of 8k tokens"))
    );
    let turn = client.prompt("hello").await;
    assert_eq!(turn.text(), "small but here");
    assert_eq!(turn.all("usage_update")[0]["size"], 8192);
    let usage = client.prompt("/usage").await.text();
    assert!(usage.contains("| Cost so far | nothing |"), "{usage}");
    let requests = server.requests();
    assert!(requests[3].starts_with("POST /v1/chat/completions"), "{}", requests[3]);
    assert!(requests[3].contains("\"model\":\"tiny\"") && !requests[3].contains("authorization"));
}

/// USE-03: the context window of an unknown model is unknown, so no usage is sent. The person is
/// told once.
#[tokio::test]
async fn unknown_model_works_with_a_notice_and_without_usage() {
    let replies = vec![chat_text("one"), chat_text("two")];
    let (server, project) = (Server::start(replies).await, project(&[]));
    let given = variables(&[
        ("OPENAI_API_KEY", KEY),
        ("OPENAI_BASE_URL", &server.url),
        ("ATTACHE_MODEL", "openai/next-big-thing"),
    ]);
    let capabilities = json!({ "session": { "notices": {} } });
    let session = json!({ "cwd": project.path(), "mcpServers": [] });
    let mut client = Client::serve_author(coder(&given), capabilities, session).await;
    let first = client.prompt("hello").await;
    let titles: Vec<_> = first.all("notice").iter().map(|notice| notice["title"].clone()).collect();
    assert_eq!(titles, ["The context window of next-big-thing is unknown"]);
    let second = client.prompt("again").await;
    for (turn, said) in [(&first, "one"), (&second, "two")] {
        assert_eq!((turn.text().as_str(), turn.all("usage_update").len()), (said, 0));
    }
    assert!(second.all("notice").is_empty());
}
