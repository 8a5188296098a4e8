//! Providers' models: their requests, text, tools, and stored conversations.

use crate::projects::{project, read};
use crate::provider::{
    KEY, anthropic, anthropic_at, bodies, chat, chat_at, chat_calls, chat_text, error, open,
    stored, text, thinking, tool_use, without_key,
};
use crate::server::Server;
use attache_session::MemoryStore;
use serde_json::{Value, json};

/// USE-01, USE-04: after each call, the client gets the size of the context window, its usage, and
/// the cost so far.
#[tokio::test]
async fn provider_answers_with_text_tokens_and_cost() {
    let replies = vec![
        anthropic(&[thinking("hm", "s"), text("Good "), text("day")], "end_turn"),
        anthropic(&[text("again")], "end_turn"),
    ];
    let (server, project) = (Server::start(replies).await, project(&[("AGENTS.md", "Use tabs.")]));
    let mut client = open(project.path(), &anthropic_at(&server.url)).await;
    let turn = client.prompt("hello").await;
    assert_eq!((turn.stop_reason(), turn.text().as_str()), ("end_turn", "Good day"));
    assert_eq!(turn.all("agent_thought_chunk").len(), 1);
    let usage = turn.all("usage_update");
    assert_eq!((usage[0]["used"].as_u64(), usage[0]["size"].as_u64()), (Some(22), Some(200_000)));
    let once = (10.0 * 3.0 + 5.0 * 0.3 + 7.0 * 15.0) / 1e6;
    let cost = |usage: &Value| usage["cost"]["amount"].as_f64().unwrap();
    assert!(
        (cost(usage[0]) - once).abs() < 1e-9 && usage[0]["cost"]["currency"] == "USD",
        "{}",
        usage[0]
    );
    let spent = &turn.result["result"]["usage"];
    let expected =
        json!({ "totalTokens": 22, "inputTokens": 10, "outputTokens": 7, "cachedReadTokens": 5 });
    for (name, tokens) in expected.as_object().unwrap() {
        assert_eq!(spent[name], *tokens, "{spent}");
    }
    let again = client.prompt("again").await;
    assert!((cost(again.all("usage_update")[0]) - 2.0 * once).abs() < 1e-9);
    let (head, body) = (&server.requests()[0].to_lowercase(), &bodies(&server)[0]);
    assert!(head.contains(&format!("x-api-key: {KEY}")));
    let system = body["system"][0]["text"].as_str().unwrap();
    assert!(
        system.contains(project.path().to_str().unwrap()) && system.contains("Use tabs."),
        "{system}"
    );
    let tools: Vec<_> =
        body["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect();
    assert!(
        ["read", "edit", "execute", "plan"].iter().all(|name| tools.contains(&json!(name))),
        "{tools:?}"
    );
    assert_eq!(
        bodies(&server)[1]["messages"].as_array().unwrap().len(),
        3,
        "the request contains the conversation"
    );
    without_key(&turn);
}

/// A model's signed thoughts are sent back to it unchanged, both in the same turn and after the
/// agent was killed and the session was loaded.
#[tokio::test]
async fn signed_thoughts_go_back_unchanged_even_after_a_load() {
    let replies = vec![
        anthropic(
            &[
                thinking("I read a.\n", "sig+1/="),
                text("Reading."),
                tool_use("t1", "read", json!({"path": "a"})),
            ],
            "tool_use",
        ),
        anthropic(
            &[thinking("Now grep.", "sig2"), tool_use("t2", "grep", json!({"pattern": "o.e"}))],
            "tool_use",
        ),
        anthropic(&[text("Found.")], "end_turn"),
        anthropic(&[text("Still here.")], "end_turn"),
    ];
    let (server, project) = (Server::start(replies).await, project(&[("a", "one\ntwo\n")]));
    let (store, variables) = (MemoryStore::new(), anthropic_at(&server.url));
    let mut client = stored(&store, &variables).await;
    client.begin("session/new", json!({ "cwd": project.path(), "mcpServers": [] })).await;
    let turn = client.prompt("what is in a?").await;
    assert_eq!(turn.stop_reason(), "end_turn", "{turn:?}");
    assert_eq!(turn.titles(), ["completed Read a", "completed Search for `o.e`"]);
    assert_eq!(turn.tool_calls()[0]["rawInput"], json!({ "path": "a" }), "as the model wrote it");
    let session = client.session.clone();
    drop(client);

    let mut client = stored(&store, &variables).await;
    let params = json!({ "sessionId": session, "cwd": project.path(), "mcpServers": [] });
    let loaded = client.begin("session/load", params).await;
    assert!(loaded.result["error"].is_null(), "{loaded:?}");
    let again = client.prompt("still there?").await;
    assert_eq!(again.text(), "Still here.");
    let cost = |turn: &crate::client::Turn| {
        turn.all("usage_update").last().unwrap()["cost"]["amount"].as_f64().unwrap()
    };
    assert!(cost(&again) > cost(&turn), "the cost keeps growing");

    let bodies = bodies(&server);
    let blocks =
        |body: &Value, at: usize| body["messages"][at]["content"].as_array().unwrap().clone();
    let first = blocks(&bodies[1], 1);
    assert_eq!(first[0], thinking("I read a.\n", "sig+1/="));
    assert_eq!((&first[1]["text"], &first[2]["id"]), (&json!("Reading."), &json!("t1")));
    let result = &blocks(&bodies[1], 2)[0];
    assert_eq!((&result["type"], &result["tool_use_id"]), (&json!("tool_result"), &json!("t1")));
    assert!(result["content"][0]["text"].as_str().unwrap().contains("one\ntwo"));
    for later in [&bodies[2], &bodies[3]] {
        assert_eq!(blocks(later, 1), first, "unchanged, even from the store");
        assert_eq!(blocks(later, 3)[0], thinking("Now grep.", "sig2"));
    }
    without_key(&turn);
}

/// The tool calls of one message run one after the other, in order. With this API, reasoning is
/// sent back too.
#[tokio::test]
async fn calls_of_one_answer_run_in_order() {
    let calls = [
        ("c1", "execute", r#"{"command":"printf one > f"}"#),
        ("c2", "execute", r#"{"command":"cat f; printf two > f"}"#),
        ("c3", "read", r#"{"path":"f"}"#),
    ];
    let deltas = [json!({ "reasoning_content": "three steps" }), chat_calls(&calls)];
    let replies = vec![chat(&deltas, "tool_calls"), chat_text("done")];
    let (server, project) = (Server::start(replies).await, project(&[]));
    let mut client = open(project.path(), &chat_at(&server.url)).await;
    client.set("mode", "auto").await;
    let turn = client.prompt("go").await;
    assert_eq!((turn.stop_reason(), turn.text().as_str()), ("end_turn", "done"));
    let messages = bodies(&server)[1]["messages"].as_array().unwrap().clone();
    let said = messages.iter().find(|message| message["role"] == "assistant").unwrap();
    assert_eq!(said["reasoning_content"], "three steps");
    let results: Vec<_> = messages.iter().filter(|message| message["role"] == "tool").collect();
    assert_eq!(results.len(), 3);
    assert!(results[1]["content"].as_str().unwrap().starts_with("one"), "{}", results[1]);
    assert!(results[2]["content"].as_str().unwrap().contains("two"), "{}", results[2]);
}

/// TOOL-11, PERM-01: a new file is shown without an old text, needs approval, and is created with
/// its folders.
#[tokio::test]
async fn new_file_and_edit_ask_and_are_made() {
    let write = tool_use("w", "write", json!({ "path": "src/new.rs", "text": "fn new() {}\n" }));
    let replacement = json!({ "old": "new()", "new": "newer()" });
    let edit =
        tool_use("e", "edit", json!({ "path": "src/new.rs", "replacements": [replacement] }));
    let replies = vec![
        anthropic(&[write], "tool_use"),
        anthropic(&[edit], "tool_use"),
        anthropic(
            &[tool_use("p", "write", json!({ "path": "/etc/attache", "text": "" }))],
            "tool_use",
        ),
        anthropic(&[tool_use("q", "write", json!({ "path": "old", "text": "" }))], "tool_use"),
        anthropic(&[text("done")], "end_turn"),
    ];
    let (server, project) = (Server::start(replies).await, project(&[("old", "kept")]));
    let mut client = open(project.path(), &anthropic_at(&server.url)).await;
    client.choices.extend(["allow_once", "allow_once"]);
    let turn = client.prompt("make it").await;
    assert_eq!((turn.stop_reason(), client.asked.len()), ("end_turn", 2), "{turn:?}");
    let diff = &client.asked[0]["toolCall"]["content"][0];
    assert_eq!((&diff["type"], &diff["newText"]), (&json!("diff"), &json!("fn new() {}\n")));
    assert!(
        diff["oldText"].is_null()
            && diff["path"] == project.path().join("src/new.rs").to_str().unwrap()
    );
    assert_eq!(client.asked[1]["toolCall"]["content"][0]["oldText"], "fn new() {}\n");
    assert_eq!(read(&project, "src/new.rs"), "fn newer() {}\n");
    assert_eq!(read(&project, "old"), "kept", "a file that was not read is not replaced");
    let failed = ["failed Write /etc/attache", "failed Write old"];
    assert_eq!(turn.titles()[2..], failed.map(str::to_owned));
}

/// Messages stay under 64 KiB, whatever the model writes. The client of these tests checks each
/// line.
#[tokio::test]
async fn long_file_is_written_completely_and_shown_in_part() {
    let long: String = (0..20_000).map(|line| format!("line {line}\n")).collect();
    let entries: Vec<_> =
        (0..500).map(|_| json!({ "content": "x".repeat(200), "status": "pending" })).collect();
    let blocks = [
        tool_use("w", "write", json!({ "path": "long", "text": long })),
        tool_use("p", "plan", json!({ "entries": entries })),
    ];
    let replies = vec![anthropic(&blocks, "tool_use"), anthropic(&[text("done")], "end_turn")];
    let (server, project) = (Server::start(replies).await, project(&[]));
    let mut client = open(project.path(), &anthropic_at(&server.url)).await;
    client.choices.extend(["allow_once"]);
    let turn = client.prompt("make it").await;
    assert_eq!(read(&project, "long"), long);
    assert!(
        turn.tool_calls()[0]["content"][1].to_string().contains("does not fit here"),
        "{turn:?}"
    );
    let results = bodies(&server)[1]["messages"][2]["content"].to_string();
    assert!(
        results.contains("long created: 20,000 lines")
            && results.contains("the plan has 132000 bytes")
    );
}

/// A rejected file is not created, and the model is told.
#[tokio::test]
async fn rejected_new_file_is_not_created() {
    let write = tool_use("w", "write", json!({ "path": "new", "text": "x" }));
    let replies = vec![anthropic(&[write], "tool_use"), anthropic(&[text("I see.")], "end_turn")];
    let (server, project) = (Server::start(replies).await, project(&[]));
    let mut client = open(project.path(), &anthropic_at(&server.url)).await;
    client.choices.extend(["reject_once"]);
    assert_eq!(client.prompt("make it").await.stop_reason(), "end_turn");
    assert!(!project.path().join("new").exists());
    let result = &bodies(&server)[1]["messages"][2]["content"][0];
    assert_eq!(result["is_error"], true);
    assert!(result["content"][0]["text"].as_str().unwrap().contains("it was not allowed"));
}

/// Data that only one model can read is not sent to another. The text and tool calls are sent.
#[tokio::test]
async fn another_model_gets_the_text_without_sealed_thoughts() {
    let first = vec![
        anthropic(
            &[thinking("secretly", "sig"), tool_use("t1", "read", json!({"path": "a"}))],
            "tool_use",
        ),
        anthropic(&[text("It says one.")], "end_turn"),
    ];
    let (first, second) =
        (Server::start(first).await, Server::start(vec![chat_text("Yes.")]).await);
    let project = project(&[("a", "one\n")]);
    let mut variables = anthropic_at(&first.url);
    variables.extend(chat_at(&second.url));
    let mut client = open(project.path(), &variables).await;
    client.prompt("read a").await;
    let set = client.set("model", "openai/gpt-5.1").await;
    assert!(set["error"].is_null(), "{set}");
    assert_eq!(client.prompt("sure?").await.text(), "Yes.");
    let body = bodies(&second)[0].to_string();
    assert!(body.contains("It says one.") && body.contains("read a"), "{body}");
    assert!(!body.contains("secretly") && !body.contains("sig"), "{body}");
    client.set("model", "offline").await;
    assert!(client.prompt("show a").await.text().contains("one"));
}

/// Content that the model does not accept is refused, and the message names the model and the kind
/// of content.
#[tokio::test]
async fn unsupported_content_is_refused_by_name() {
    let (server, project) =
        (Server::start(vec![anthropic(&[text("A cat.")], "end_turn")]).await, project(&[]));
    let mut variables = anthropic_at(&server.url);
    variables.push(("GEMINI_API_KEY".to_owned(), KEY.to_owned()));
    let mut client = open(project.path(), &variables).await;
    let takes = &client.initialized["result"]["agentCapabilities"]["promptCapabilities"];
    assert_eq!((&takes["image"], &takes["audio"]), (&json!(true), &json!(true)));
    let sound = json!([{ "type": "audio", "mimeType": "audio/wav", "data": "AAAA" }]);
    let refused = client.prompt_blocks(sound).await;
    let expected =
        "Claude Sonnet 4.5 does not accept a sound: leave it out, or choose another model";
    assert_eq!(error(&refused), (-32602, expected.to_owned()));
    let picture = json!([
        { "type": "text", "text": "what is this?" },
        { "type": "image", "mimeType": "image/png", "data": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB" },
    ]);
    assert_eq!(client.prompt_blocks(picture).await.text(), "A cat.");
    let content = &bodies(&server)[0]["messages"][0]["content"];
    assert_eq!(content[1]["source"]["data"], "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB", "{content}");
}
