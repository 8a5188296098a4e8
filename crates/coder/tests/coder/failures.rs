//! Failures of a model or its provider.

use crate::client::Client;
use crate::projects::project;
use crate::provider::{
    KEY, anthropic, anthropic_at, anthropic_begin, bodies, chat, chat_at, chat_calls, chat_text,
    coder, error, open, text, thinking, tool_use, without_key,
};
use crate::server::{Reply, Server};
use attache_agent::serve;
use attache_session::MemoryStore;
use serde_json::json;
use std::time::{Duration, Instant};

/// Invalid arguments, a missing field and an unknown tool are reported to the model, which
/// continues. The person sees the failed calls.
#[tokio::test]
async fn invalid_calls_are_reported_to_the_model() {
    let calls = [
        ("c1", "read", "{\"path\": \"a"),
        ("c2", "edit", "{\n\"path\": \"a\"\n}"),
        ("c3", "frobnicate", "{}"),
        ("c4", "read", "[1]"),
    ];
    let replies = vec![chat(&[chat_calls(&calls)], "tool_calls"), chat_text("sorry")];
    let (server, project) = (Server::start(replies).await, project(&[("a", "one")]));
    let mut client = open(project.path(), &chat_at(&server.url)).await;
    let turn = client.prompt("go").await;
    assert_eq!((turn.stop_reason(), turn.text().as_str()), ("end_turn", "sorry"), "{turn:?}");
    assert_eq!(turn.titles(), ["failed read", "failed edit", "failed frobnicate", "failed read"]);
    assert_eq!(turn.tool_calls()[1]["rawInput"], json!({ "path": "a" }));
    let messages = bodies(&server)[1]["messages"].as_array().unwrap().clone();
    let results: Vec<_> = messages.iter().filter(|message| message["role"] == "tool").collect();
    for (result, said) in results.iter().zip([
        "arguments of read are not JSON",
        "missing field `replacements`",
        "there is no tool \"frobnicate\": use one of read",
        "arguments do not match the tool read",
    ]) {
        assert!(result["content"].as_str().unwrap().contains(said), "{result}");
    }
}

/// PROMPT-10: the error for a wrong key names the variable to check but not the key, even if the
/// provider repeats the key.
#[tokio::test]
async fn wrong_key_names_its_variable_and_not_the_key() {
    let body = json!({ "error": { "type": "authentication_error", "message": format!("invalid x-api-key {KEY}") } });
    let server = Server::start(vec![Reply::status(401, "", &body.to_string())]).await;
    let project = project(&[]);
    let turn = open(project.path(), &anthropic_at(&server.url)).await.prompt("hello").await;
    let (code, message) = error(&turn);
    assert!(
        code == -32000 && message.contains("check the environment variable ANTHROPIC_API_KEY"),
        "{message}"
    );
    without_key(&turn);
}

/// NOTE-01: while the agent waits for a provider, the person sees the reason, as a notice or else
/// as a thought.
#[tokio::test]
async fn person_sees_the_wait_for_a_busy_provider() {
    for notices in [true, false] {
        let busy =
            Reply::status(429, "retry-after-ms: 30\r\n", "{\"error\":{\"message\":\"slow down\"}}");
        let server = Server::start(vec![busy, anthropic(&[text("here")], "end_turn")]).await;
        let project = project(&[]);
        let capabilities =
            if notices { json!({ "session": { "notices": {} } }) } else { json!({}) };
        let session = json!({ "cwd": project.path(), "mcpServers": [] });
        let mut client =
            Client::serve_author(coder(&anthropic_at(&server.url)), capabilities, session).await;
        let turn = client.prompt("hello").await;
        assert_eq!((turn.stop_reason(), turn.text().as_str()), ("end_turn", "here"));
        let words = "Anthropic limits the rate of requests (status 429): retrying now";
        let (told, shown) = (turn.all("notice"), turn.all("agent_thought_chunk"));
        match notices {
            true => assert_eq!((&told[0]["title"], shown.len()), (&json!(words), 0)),
            false => assert_eq!(shown[0]["content"]["text"], format!("{words}.\n\n")),
        }
    }
}

const REPLACED: &str =
    "(The answer above is incomplete. The request is repeated, and the next answer replaces it.)";

/// An answer that was cut off is requested again. The person is told that the next answer replaces
/// the first one. The model never sees the first answer, but its tokens count. A tool call that was
/// cut off never runs. After `session/load`, the conversation is the same.
#[tokio::test]
async fn cut_answer_is_requested_again_and_replaced() {
    for notices in [true, false] {
        let write = tool_use("w", "write", json!({ "path": "made", "text": "" }));
        let cut =
            Reply::broken(&anthropic_begin(&[thinking("hm", "sig"), text("Half an ans"), write]));
        let replies = vec![
            cut,
            anthropic(&[text("The whole answer.")], "end_turn"),
            anthropic(&[text("And more.")], "end_turn"),
            anthropic(&[text("The end.")], "end_turn"),
        ];
        let (server, project) = (Server::start(replies).await, project(&[]));
        let capabilities =
            if notices { json!({ "session": { "notices": {} } }) } else { json!({}) };
        let store = MemoryStore::default();
        let serving = || serve(coder(&anthropic_at(&server.url))).store(store.clone());
        let mut client = Client::connect(serving(), capabilities.clone()).await;
        client.begin("session/new", json!({ "cwd": project.path(), "mcpServers": [] })).await;
        client.set("mode", "auto").await;
        let turn = client.prompt("hello").await;
        assert_eq!(turn.stop_reason(), "end_turn", "{turn:?}");
        let said = turn.text();
        assert_eq!(said, format!("Half an ans\n\n{REPLACED}\n\nThe whole answer."));
        let ids: Vec<_> =
            turn.all("agent_message_chunk").iter().map(|chunk| &chunk["messageId"]).collect();
        assert!(
            ids[0] == ids[1] && ids[1] != ids[2],
            "the new answer has its own message: {ids:?}"
        );
        let why = "Anthropic stopped in the middle of its answer: retrying in 1 second";
        let told = match notices {
            true => turn.all("notice")[0]["title"].clone(),
            false => turn.all("agent_thought_chunk")[1]["content"]["text"].clone(),
        };
        assert!(told.as_str().unwrap().starts_with(why), "{told}");
        assert!(turn.tool_calls().is_empty() && !project.path().join("made").exists());
        let usage = &turn.result["result"]["usage"];
        assert_eq!(
            (&usage["inputTokens"], &usage["outputTokens"]),
            (&json!(20), &json!(8)),
            "{usage}"
        );
        client.prompt("go on").await;
        let id = client.session.clone();
        client.close().await;
        let mut client = Client::connect(serving(), capabilities).await;
        let params = json!({ "sessionId": id, "cwd": project.path(), "mcpServers": [] });
        let loaded = client.begin("session/load", params).await;
        assert_eq!(loaded.text(), format!("{said}And more."));
        client.prompt("and now").await;
        let bodies = bodies(&server);
        assert_eq!(bodies[0], bodies[1], "the request is repeated");
        for body in &bodies[2..] {
            let body = body["messages"].to_string();
            assert!(body.contains("The whole answer.") && !body.contains("Half an ans"), "{body}");
            assert!(!body.contains("incomplete") && !body.contains("made"), "{body}");
        }
        assert_eq!(bodies[3]["messages"].as_array().unwrap().len(), 5, "each message is sent once");
    }
}

/// A permanent error in the middle of an answer ends the turn. The text so far is kept, for the
/// person and for the model.
#[tokio::test]
async fn permanent_error_ends_the_turn_and_keeps_the_text() {
    let denied =
        json!({ "type": "error", "error": { "type": "authentication_error", "message": "no" } });
    let cut =
        Reply::stream(&format!("{}data: {denied}\n\n", anthropic_begin(&[text("Half an ans")])));
    let server = Server::start(vec![cut, anthropic(&[text("wer.")], "end_turn")]).await;
    let project = project(&[]);
    let mut client = open(project.path(), &anthropic_at(&server.url)).await;
    let turn = client.prompt("hello").await;
    let (code, message) = error(&turn);
    assert!(code == -32000 && message.contains("ANTHROPIC_API_KEY"), "{message}");
    assert_eq!(turn.text(), "Half an ans");
    assert_eq!(client.prompt("continue").await.text(), "wer.");
    let messages = &bodies(&server)[1]["messages"];
    assert_eq!(messages[1]["content"][0]["text"], "Half an ans", "{messages}");
}

/// CANCEL-02: a cancel while the agent waits to retry ends the turn at once.
#[tokio::test]
async fn cancel_after_a_cut_answer_ends_the_turn_at_once() {
    let busy = json!({ "type": "error", "error": { "type": "overloaded_error", "message": "try again in 60s" } });
    let cut = Reply::stream(&format!("{}data: {busy}\n\n", anthropic_begin(&[text("I begin")])));
    let server = Server::start(vec![cut, anthropic(&[text("fine")], "end_turn")]).await;
    let project = project(&[]);
    let mut client = open(project.path(), &anthropic_at(&server.url)).await;
    let prompt = json!([{ "type": "text", "text": "hello" }]);
    let id = client
        .start("session/prompt", json!({ "sessionId": client.session, "prompt": prompt }))
        .await;
    while client.receive().await["params"]["update"]["sessionUpdate"] != "agent_thought_chunk" {}
    let began = Instant::now();
    client.cancel().await;
    assert_eq!(client.finish(id).await.stop_reason(), "cancelled");
    // A generous limit: the wait is a minute.
    assert!(began.elapsed() < Duration::from_secs(20));
    assert_eq!(client.prompt("again").await.text(), "fine");
    assert_eq!(
        bodies(&server)[1].to_string().matches("I begin").count(),
        1,
        "the model sees it once"
    );
}

/// CANCEL-02: a cancel closes the connection to the provider, and the session continues at once.
#[tokio::test]
async fn cancel_in_the_middle_of_an_answer_closes_the_connection() {
    let begun = Reply::stream(&anthropic_begin(&[text("I begin")])).then_hang();
    let mut server = Server::start(vec![begun, anthropic(&[text("fine")], "end_turn")]).await;
    let project = project(&[]);
    let mut client = open(project.path(), &anthropic_at(&server.url)).await;
    let prompt = json!([{ "type": "text", "text": "hello" }]);
    let id = client
        .start("session/prompt", json!({ "sessionId": client.session, "prompt": prompt }))
        .await;
    while client.receive().await["params"]["update"]["sessionUpdate"] != "agent_message_chunk" {}
    let began = Instant::now();
    client.cancel().await;
    let turn = client.finish(id).await;
    assert_eq!(turn.stop_reason(), "cancelled");
    // A generous limit, which shows that the turn did not wait.
    assert!(began.elapsed() < Duration::from_secs(5));
    server.closed.recv().await.unwrap();
    assert_eq!(client.prompt("again").await.text(), "fine");
    assert!(bodies(&server)[1].to_string().contains("I begin"), "the text so far is kept");
}

/// CANCEL-02: a cancel ends the turn before the first byte, and while the agent waits for a busy
/// provider.
#[tokio::test]
async fn cancel_before_the_answer_ends_the_turn_at_once() {
    let busy = Reply::status(429, "retry-after: 60\r\n", "{\"error\":{\"message\":\"slow down\"}}");
    for (reply, sign) in
        [(Reply::nothing().then_hang(), "session_info_update"), (busy, "agent_thought_chunk")]
    {
        let hangs = sign == "session_info_update";
        let mut server = Server::start(vec![reply, anthropic(&[text("fine")], "end_turn")]).await;
        let project = project(&[]);
        let mut client = open(project.path(), &anthropic_at(&server.url)).await;
        let prompt = json!([{ "type": "text", "text": "hello" }]);
        let id = client
            .start("session/prompt", json!({ "sessionId": client.session, "prompt": prompt }))
            .await;
        while client.receive().await["params"]["update"]["sessionUpdate"] != sign {}
        while server.requests().is_empty() {
            tokio::task::yield_now().await;
        }
        let began = Instant::now();
        client.cancel().await;
        assert_eq!(client.finish(id).await.stop_reason(), "cancelled");
        assert!(began.elapsed() < Duration::from_secs(5));
        if hangs {
            server.closed.recv().await.unwrap();
        }
        assert_eq!(client.prompt("again").await.text(), "fine");
    }
}

/// A conversation that is too long for the provider is shortened, the person is told, and the turn
/// continues.
#[tokio::test]
async fn overflow_removes_the_oldest_part_and_retries() {
    let too_long = || {
        let error = json!({ "type": "invalid_request_error", "message": "prompt is too long: 5 tokens > 4 maximum" });
        Reply::status(400, "", &json!({ "error": error }).to_string())
    };
    let replies = vec![
        anthropic(&[text("one")], "end_turn"),
        too_long(),
        Reply::status(400, "", "{}"),
        anthropic(&[text("two")], "end_turn"),
        too_long(),
    ];
    let (server, project) = (Server::start(replies).await, project(&[]));
    let mut client = open(project.path(), &anthropic_at(&server.url)).await;
    client.prompt(&"a long story ".repeat(100)).await;
    let turn = client.prompt("go on").await;
    assert_eq!(turn.stop_reason(), "end_turn", "{turn:?}");
    assert_eq!(turn.text(), "two");
    let thoughts = format!("{:?}", turn.all("agent_thought_chunk"));
    assert!(thoughts.contains("the oldest 1 turn was removed"), "{thoughts}");
    assert!(!bodies(&server)[3].to_string().contains("long story"));
    // The second time, only this prompt is left, which cannot be removed.
    let mut client = open(project.path(), &anthropic_at(&server.url)).await;
    let (code, message) = error(&client.prompt("alone").await);
    assert!(
        code == -32603 && message.contains("no more of it can be removed: start a new session"),
        "{message}"
    );
}

/// PROMPT-07: the stop reason comes from the model.
#[tokio::test]
async fn turn_ends_for_the_models_reason() {
    let write = tool_use("w", "write", json!({ "path": "made", "text": "" }));
    for reason in ["refusal", "max_tokens"] {
        let server = Server::start(vec![anthropic(&[text("so"), write.clone()], reason)]).await;
        let project = project(&[]);
        let mut client = open(project.path(), &anthropic_at(&server.url)).await;
        client.set("mode", "auto").await;
        let turn = client.prompt("hello").await;
        assert_eq!((turn.stop_reason(), turn.text().as_str()), (reason, "so"));
        assert!(!project.path().join("made").exists(), "its tool call did not run");
    }
}

/// An empty response is an error, and a model that never stops is stopped.
#[tokio::test]
async fn silent_and_endless_models_end_the_turn() {
    let server = Server::start(vec![anthropic(&[], "end_turn")]).await;
    let project = project(&[]);
    let (code, message) =
        error(&open(project.path(), &anthropic_at(&server.url)).await.prompt("hello").await);
    assert!(
        code == -32603 && message.contains("Claude Sonnet 5.5 returned an empty response"),
        "{message}"
    );
    let list = || anthropic(&[tool_use("t", "list", json!({}))], "tool_use");
    let server = Server::start((0..50).map(|_| list()).collect()).await;
    let turn = open(project.path(), &anthropic_at(&server.url)).await.prompt("hello").await;
    assert_eq!((turn.stop_reason(), turn.tool_calls().len()), ("max_turn_requests", 50));
}

#[tokio::test]
async fn network_error_names_the_host() {
    let project = project(&[]);
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let variables = anthropic_at(&format!("http://{free}"));
    let (code, message) = error(&open(project.path(), &variables).await.prompt("hello").await);
    assert!(
        code == -32603 && message.contains(&format!("cannot be reached at {free}")),
        "{message}"
    );
}

/// If a model repeats a failing call, it first gets a warning. Then the turn ends, with the reason.
#[tokio::test]
async fn call_that_fails_repeatedly_ends_the_turn() {
    let read = || anthropic(&[tool_use("t", "read", json!({ "path": "missing" }))], "tool_use");
    let server = Server::start((0..5).map(|_| read()).collect()).await;
    let project = project(&[]);
    let turn = open(project.path(), &anthropic_at(&server.url)).await.prompt("hello").await;
    assert_eq!((turn.stop_reason(), turn.tool_calls().len()), ("max_turn_requests", 4), "{turn:?}");
    assert!(
        turn.text()
            .contains("The turn was stopped: the same call of `read` failed 4 times in a row"),
        "{}",
        turn.text()
    );
    let bodies = bodies(&server);
    assert!(
        !bodies[2].to_string().contains("3 times in a row")
            && bodies[3].to_string().contains("3 times in a row")
    );
}
