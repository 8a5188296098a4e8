//! Calls to MCP servers' tools: questions, display, cancellation and failure.

use crate::mcp_place::{Place, call, thoughts, told};
use crate::provider::{bodies, chat, chat_calls, chat_text};
use crate::server::Server;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// SESS-07, SESS-08, SESS-09: the server starts in the session's folder with its environment, lists
/// its tools, and is called. Its instructions are data for the model.
#[tokio::test]
async fn server_tool_is_offered_called_and_shown() {
    let place = Place::new();
    let (turn, told) = place.calls("env", json!({})).await;
    assert_eq!(told["content"], format!("hush-hush {}", place.project().display()));
    let calls = turn.tool_calls();
    let call = &calls[0];
    assert_eq!(
        (call["title"].as_str(), call["kind"].as_str()),
        (Some("hand: env"), None),
        "the kind is other"
    );
    assert_eq!(
        (call["status"].as_str(), call["name"].as_str()),
        (Some("completed"), Some("hand__env"))
    );
    assert_eq!(turn.text(), "done");
    let (turn, told) = place.calls("echo", json!({ "a": [1, "b"] })).await;
    assert_eq!(told["content"], r#"{"a":[1,"b"]}"#);
    assert_eq!(turn.tool_calls()[0]["rawInput"], json!({ "a": [1, "b"] }));
    let (_, told) = place.calls("roots", json!({})).await;
    let uri = format!("file://{}", place.project().display());
    assert_eq!(
        serde_json::from_str::<Value>(told["content"].as_str().unwrap()).unwrap(),
        json!([{ "uri": uri }])
    );
}

/// TOOL-07: the model and the client get pictures. The model gets other content as text, and the
/// client gets it unchanged. Messages stay under 64 KiB.
#[tokio::test]
async fn every_kind_of_content_is_mapped_and_long_content_is_cut() {
    let place = Place::new();
    let (turn, told) = place.calls("mixed", json!({})).await;
    let text = told.to_string();
    for words in ["words", "a.txt: file:///a.txt", "note://1:", "a note", "[a sound, audio/wav"] {
        assert!(text.contains(words), "{words} in {text}");
    }
    let call = &turn.tool_calls()[0];
    let kinds: Vec<_> = call["content"]
        .as_array()
        .unwrap()
        .iter()
        .map(|each| each["content"]["type"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["text", "image", "text", "audio", "resource_link", "text"]);
    assert_eq!(call["rawOutput"], json!({ "number": 7 }));
    let (turn, told) = place.calls("huge", json!({})).await;
    let text = told["content"].as_str().unwrap();
    assert!(
        text.len() < 30_000 && text.starts_with("line of text\n") && text.contains("[…]"),
        "{}",
        text.len()
    );
    assert_eq!(turn.tool_calls()[0]["status"], "completed");
    assert!(text.contains("it returned 3,250,000 bytes; /"), "{text}");
}

#[tokio::test]
async fn tool_that_reports_a_failure_has_failed() {
    let place = Place::new();
    let (turn, told) = place.calls("fail", json!({})).await;
    assert_eq!(turn.tool_calls()[0]["status"], "failed");
    assert!(told["content"].as_str().unwrap().contains("no such issue"));
}

/// The call fails with a message, and the server is restarted for the next call.
#[tokio::test]
async fn server_that_dies_in_a_call_fails_the_call_and_restarts() {
    let place = Place::new();
    let replies = vec![
        call("hand__die", &json!({})),
        call("hand__echo", &json!({ "x": 1 })),
        chat_text("done"),
    ];
    let provider = Server::start(replies).await;
    let mut client = place.open(&[place.server("hand", "plain")], &provider, json!({})).await;
    place.traced("listed").await;
    client.choices.extend(["allow_once", "allow_once"]);
    let turn = client.prompt("go").await;
    assert_eq!(turn.titles(), ["failed hand: die", "completed hand: echo"]);
    let bodies = bodies(&provider);
    let first = told(&bodies[1])["content"].to_string();
    assert!(first.contains("the MCP server hand did not complete the call: it ended"), "{first}");
    assert!(
        thoughts(&turn)
            .contains("The connection to the MCP server hand was lost: It ended: exit code 7"),
        "{}",
        thoughts(&turn)
    );
}

/// CANCEL-02, CANCEL-04: a cancel ends the turn at once, and the server is told. The server stays
/// available for the next prompt.
#[tokio::test]
async fn cancel_during_a_call_ends_the_turn_and_tells_the_server() {
    let place = Place::new();
    let replies =
        vec![call("hand__hang", &json!({})), call("hand__echo", &json!({})), chat_text("fine")];
    let provider = Server::start(replies).await;
    let mut client = place.open(&[place.server("hand", "plain")], &provider, json!({})).await;
    place.traced("listed").await;
    client.choices.extend(["allow_once", "allow_once"]);
    let id = place.start(&mut client).await;
    client.until(|message| message["method"] == "session/request_permission").await;
    place.traced("tools/call").await;
    let begun = Instant::now();
    client.cancel().await;
    let turn = client.finish(id).await;
    let took = begun.elapsed();
    assert_eq!(turn.stop_reason(), "cancelled");
    assert!(took < Duration::from_secs(2), "{took:?}");
    place.traced("notifications/cancelled the person cancelled it").await;
    assert_eq!(client.prompt("again").await.text(), "fine");
}

#[tokio::test]
async fn progress_is_shown_while_the_server_works() {
    let place = Place::new();
    let provider = Server::start(vec![call("hand__progress", &json!({})), chat_text("done")]).await;
    let mut client = place.open(&[place.server_that_waits("hand")], &provider, json!({})).await;
    client.choices.push_back("allow_once");
    let id = place.start(&mut client).await;
    let message = client.until(|message| message.to_string().contains("a quarter")).await;
    assert!(message.to_string().contains("25 %: a quarter"), "{message}");
    std::fs::write(place.beside("seen"), "").unwrap();
    let turn = client.finish(id).await;
    assert_eq!(turn.stop_reason(), "end_turn");
}

/// ELIC-01, ELIC-14: a server's question during a call is a form about that call, if the client
/// supports forms.
#[tokio::test]
async fn question_of_a_server_reaches_the_person() {
    let place = Place::new();
    let provider = Server::start(vec![call("hand__ask", &json!({})), chat_text("done")]).await;
    let forms = json!({ "elicitation": { "form": {} } });
    let mut client = place.open(&[place.server("hand", "plain")], &provider, forms).await;
    let traces = place.traced("listed").await;
    assert!(traces.contains(r#""elicitation":{"form":{}}"#), "{traces}");
    client.choices.push_back("allow_once");
    client.forms.push_back(json!({ "action": "accept", "content": { "name": "Ada" } }));
    client.prompt("go").await;
    let bodies = bodies(&provider);
    let told =
        bodies[1]["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap();
    let told: Value = serde_json::from_str(told).unwrap();
    assert_eq!(told, json!({ "action": "accept", "content": { "name": "Ada" } }));
}

/// ELIC-01: the agent does not send forms to a client that does not support them.
#[tokio::test]
async fn forms_are_not_offered_to_servers_without_client_support() {
    let place = Place::new();
    let (_, told) = place.calls("echo", json!({})).await;
    assert_eq!(told["content"], "{}");
    assert!(place.traces().contains("capabilities") && !place.traces().contains("elicitation"));
}

/// The server gets exactly the arguments that were shown, even if the model writes a field twice.
/// An approval covers one call.
#[tokio::test]
async fn call_is_allowed_once_and_with_the_arguments_that_were_shown() {
    let place = Place::new();
    let twice =
        chat(&[chat_calls(&[("c1", "hand__echo", r#"{"a":"safe","a":"evil"}"#)])], "tool_calls");
    let again = call("hand__echo", &json!({ "a": "evil" }));
    let provider = Server::start(vec![twice, again, chat_text("done")]).await;
    let mut client = place.open(&[place.server("hand", "plain")], &provider, json!({})).await;
    place.traced("listed").await;
    client.choices.extend(["allow_once", "reject_once"]);
    client.prompt("go").await;
    assert_eq!(client.asked.len(), 2);
    assert_eq!(client.asked[0]["toolCall"]["rawInput"], json!({ "a": "evil" }));
    let bodies = bodies(&provider);
    assert_eq!(told(&bodies[1])["content"], r#"{"a":"evil"}"#);
    assert!(told(&bodies[2])["content"].to_string().contains("it was not allowed"));
}

/// PERM-01: the question names the server's tool, and the person may refuse it.
#[tokio::test]
async fn call_asks_and_may_be_refused() {
    let place = Place::new();
    let provider = Server::start(vec![call("hand__echo", &json!({})), chat_text("ok")]).await;
    let mut client = place.open(&[place.server("hand", "plain")], &provider, json!({})).await;
    place.traced("listed").await;
    client.choices.push_back("reject_once");
    let turn = client.prompt("go").await;
    assert_eq!(turn.titles(), ["failed hand: echo"]);
    assert!(!place.traces().contains("tools/call"), "it was not called");
    assert_eq!(client.asked[0]["toolCall"]["title"], "hand: echo");
}
