//! Options, modes, titles, usage and the context window of sessions.

use crate::client::Client;
use crate::projects::rust;
use attache_agent::serve;
use attache_coder::Coder;
use attache_session::MemoryStore;
use serde_json::{Value, json};

fn names(options: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let options = options.as_array().unwrap().iter();
    options.map(|option| (text(&option["id"]), text(&option["currentValue"]))).collect()
}

#[tokio::test]
async fn session_offers_its_modes_options_and_commands() {
    let project = rust();
    let boolean = json!({ "session": { "configOptions": { "boolean": {} } } });
    let session = json!({ "cwd": project.path(), "mcpServers": [] });
    let mut client = Client::open_with(boolean, session).await;
    let opened = client.opened["result"].clone();
    assert_eq!(opened["modes"]["currentModeId"], "ask");
    let expected = [("mode", "ask"), ("model", "offline"), ("show_thoughts", "true")];
    assert_eq!(
        names(&opened["configOptions"]),
        expected.map(|(id, value)| (id.to_owned(), value.to_owned()))
    );
    assert_eq!(opened["configOptions"][2]["type"], "boolean");
    let turn = client.prompt("help").await;
    let commands: Vec<_> = turn
        .all("available_commands_update")
        .iter()
        .flat_map(|update| update["availableCommands"].as_array().unwrap().clone())
        .map(|command| command["name"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        commands,
        [
            "help",
            "compact",
            "clear",
            "title",
            "model",
            "mode",
            "undo",
            "usage",
            "handoff",
            "init",
            "review",
            "summarize",
            "show",
            "where",
            "find",
            "rename",
            "run",
            "plan",
            "ask",
            "delegate",
            "fetch"
        ]
    );
}

#[tokio::test]
async fn thoughts_are_shown_unless_turned_off() {
    let project = rust();
    let boolean = json!({ "session": { "configOptions": { "boolean": {} } } });
    let session = json!({ "cwd": project.path(), "mcpServers": [] });
    let mut client = Client::open_with(boolean, session).await;
    assert_eq!(client.prompt("find Grid").await.all("agent_thought_chunk").len(), 1);
    let off = json!({ "sessionId": client.session, "configId": "show_thoughts", "type": "boolean", "value": false });
    client.call("session/set_config_option", off).await;
    assert_eq!(client.prompt("find Grid").await.all("agent_thought_chunk").len(), 0);
}

#[tokio::test]
async fn mode_and_config_option_change_together() {
    let project = rust();
    let mut client = Client::open(project.path()).await;
    let params = json!({ "sessionId": client.session, "modeId": "plan" });
    let turn = client.call("session/set_mode", params).await;
    let updates = turn.all("config_option_update");
    let said = updates.last().map(|update| names(&update["configOptions"])[0].clone());
    assert_eq!(said, Some(("mode".to_owned(), "plan".to_owned())));
    assert!(client.prompt("run touch a").await.text().contains("mode is Plan"));
    let refused = client.set("mode", "wild").await;
    assert_eq!(refused["error"]["code"], -32602);
}

#[tokio::test]
async fn first_prompt_gives_the_title_once() {
    let project = rust();
    let mut client = Client::open(project.path()).await;
    let long = format!("find {}", "long ".repeat(30));
    let turn = client.prompt(&long).await;
    let titles = turn.all("session_info_update");
    let title = titles[0]["title"].as_str().unwrap();
    assert!(
        title.starts_with("find long") && title.ends_with('…') && title.chars().count() <= 60,
        "{title}"
    );
    assert!(
        client
            .prompt("help")
            .await
            .all("session_info_update")
            .iter()
            .all(|update| update.get("title").is_none())
    );
}

#[tokio::test]
async fn usage_counts_the_conversation_and_the_turn() {
    let project = rust();
    let mut client = Client::open(project.path()).await;
    let first = client.prompt("find Grid").await;
    let second = client.prompt("find Grid").await;
    let used = |turn: &crate::client::Turn| {
        turn.all("usage_update").last().unwrap()["used"].as_u64().unwrap()
    };
    assert_eq!(first.all("usage_update")[0]["size"], 32_768);
    assert!(used(&second) > used(&first) && used(&first) > 0);
    let usage = &first.result["result"]["usage"];
    let tokens = |name: &str| usage[name].as_u64().unwrap();
    assert_eq!(tokens("totalTokens"), tokens("inputTokens") + tokens("outputTokens"));
    assert!(tokens("thoughtTokens") <= tokens("outputTokens"));
}

/// A session is listed once it has a prompt, or a title that a person gave it.
#[tokio::test]
async fn empty_session_is_not_listed() {
    let project = rust();
    for store in [None, Some(MemoryStore::default())] {
        let serving = serve(Coder::new());
        let serving = match &store {
            Some(store) => serving.store(store.clone()),
            None => serving,
        };
        let mut client = Client::connect(serving, json!({})).await;
        let session = json!({ "cwd": project.path(), "mcpServers": [] });
        let mut ids = Vec::new();
        for _ in 0..3 {
            client.begin("session/new", session.clone()).await;
            ids.push(client.session.clone());
        }
        client.prompt("help").await;
        let title = json!({ "sessionId": ids[1], "title": "Mine" });
        assert!(client.call("session/set_title", title).await.result["error"].is_null());
        let listed = client.call("session/list", json!({})).await.result;
        let listed: Vec<_> = listed["result"]["sessions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|each| each["sessionId"].clone())
            .collect();
        assert_eq!(listed.len(), 2, "{listed:?}");
        assert!(!listed.contains(&json!(ids[0])), "{listed:?}");
    }
}

/// A prompt that is too large to be stored does not start a turn, and the session continues.
#[tokio::test]
async fn prompt_too_large_for_the_store_starts_no_turn() {
    let project = rust();
    let mut client = Client::open(project.path()).await;
    let turn = client.prompt(&"long ".repeat(1_800_000)).await;
    assert_eq!(turn.result["error"]["code"], -32602);
    let message = turn.result["error"]["message"].as_str().unwrap();
    assert!(message.contains("too large: it needs 18 MiB"), "{message}");
    assert!(
        turn.updates.iter().all(|update| update["sessionUpdate"] == "available_commands_update"),
        "{turn:?}"
    );
    assert_eq!(client.prompt("help").await.stop_reason(), "end_turn");
}

#[tokio::test]
async fn prompt_longer_than_the_window_is_refused() {
    let project = rust();
    let mut client = Client::open(project.path()).await;
    let turn = client.prompt(&"word ".repeat(40_000)).await;
    assert_eq!(turn.stop_reason(), "max_tokens");
    assert!(turn.text().contains("too long: it has about 50,000 tokens"), "{}", turn.text());
    assert_eq!(client.prompt("help").await.stop_reason(), "end_turn");
}
