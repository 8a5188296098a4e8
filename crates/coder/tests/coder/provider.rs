//! Scripted providers on this machine, with two APIs, and an agent that has their keys.

use crate::client::{Client, Turn};
use crate::server::{Reply, Server};
use attache_agent::serve;
use attache_coder::{Coder, Models};
use attache_session::MemoryStore;
use serde_json::{Value, json};
use std::path::Path;

/// A key that must be sent only to its provider.
pub(crate) const KEY: &str = "sk-very-secret-key";

/// The environment variables for providers at these addresses.
pub(crate) fn anthropic_at(url: &str) -> Vec<(String, String)> {
    variables(&[("ANTHROPIC_API_KEY", KEY), ("ANTHROPIC_BASE_URL", url)])
}

pub(crate) fn chat_at(url: &str) -> Vec<(String, String)> {
    variables(&[("OPENAI_API_KEY", KEY), ("OPENAI_BASE_URL", url)])
}

pub(crate) fn variables(variables: &[(&str, &str)]) -> Vec<(String, String)> {
    variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// The agent, configured by these variables. Models write titles only if the variables say so.
pub(crate) fn coder(given: &[(String, String)]) -> Coder {
    let variables = [given, &variables(&[("ATTACHE_TITLES", "off")])].concat();
    let environment = |name: &str| {
        variables.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone())
    };
    let models = Models::of(&environment, None).unwrap();
    // The tests do not depend on the real day, on which models of the list may have ended.
    let day = models.prices_as_of().parse().unwrap();
    Coder::with(models.on_day(day))
}

/// The same agent, with the model servers on this machine.
pub(crate) fn local_coder(given: &[(String, String)]) -> Coder {
    let variables = [given, &variables(&[("ATTACHE_TITLES", "off")])].concat();
    let environment = |name: &str| {
        variables.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone())
    };
    Coder::with(Models::of(&environment, None).unwrap().and_local(&environment))
}

/// Opens a session in `cwd`, with an agent configured by these variables.
pub(crate) async fn open(cwd: &Path, variables: &[(String, String)]) -> Client {
    Client::serve_author(coder(variables), json!({}), json!({ "cwd": cwd, "mcpServers": [] })).await
}

/// Creates a client of an agent that stores its sessions in `store`.
pub(crate) async fn stored(store: &MemoryStore, variables: &[(String, String)]) -> Client {
    Client::connect(serve(coder(variables)).store(store.clone()), json!({})).await
}

/// A response from Anthropic with these blocks and this stop reason. Its usage is 10 tokens read, 5
/// from the cache, 7 written.
pub(crate) fn anthropic(blocks: &[Value], reason: &str) -> Reply {
    Reply::stream(&(anthropic_begin(blocks) + &anthropic_end(reason)))
}

/// The beginning of such a response: all events except the last ones.
pub(crate) fn anthropic_begin(blocks: &[Value]) -> String {
    let usage = json!({ "input_tokens": 10, "cache_read_input_tokens": 5, "output_tokens": 1 });
    let mut events = vec![json!({ "type": "message_start", "message": { "usage": usage } })];
    for (index, block) in blocks.iter().enumerate() {
        let (start, deltas) = match block["type"].as_str().unwrap() {
            "thinking" => (
                json!({ "type": "thinking", "thinking": "", "signature": "" }),
                vec![
                    json!({ "type": "thinking_delta", "thinking": block["thinking"] }),
                    json!({ "type": "signature_delta", "signature": block["signature"] }),
                ],
            ),
            "tool_use" => (
                json!({ "type": "tool_use", "id": block["id"], "name": block["name"], "input": {} }),
                vec![
                    json!({ "type": "input_json_delta", "partial_json": block["input"].to_string() }),
                ],
            ),
            _ => (
                json!({ "type": "text", "text": "" }),
                vec![json!({ "type": "text_delta", "text": block["text"] })],
            ),
        };
        events
            .push(json!({ "type": "content_block_start", "index": index, "content_block": start }));
        let delta =
            |delta| json!({ "type": "content_block_delta", "index": index, "delta": delta });
        events.extend(deltas.into_iter().map(delta));
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    sse(&events)
}

/// An event that ends a response with an error. The request is not repeated.
pub(crate) const FAILURE: &str = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"no\"}}\n\n";

fn anthropic_end(reason: &str) -> String {
    let delta = json!({ "stop_reason": reason });
    sse(&[
        json!({ "type": "message_delta", "delta": delta, "usage": { "output_tokens": 7 } }),
        json!({ "type": "message_stop" }),
    ])
}

fn sse(events: &[Value]) -> String {
    let event =
        |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap());
    events.iter().map(event).collect()
}

pub(crate) fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

pub(crate) fn thinking(text: &str, signature: &str) -> Value {
    json!({ "type": "thinking", "thinking": text, "signature": signature })
}

pub(crate) fn tool_use(id: &str, name: &str, input: Value) -> Value {
    json!({ "type": "tool_use", "id": id, "name": name, "input": input })
}

/// A Chat Completions response with these deltas and this finish reason.
pub(crate) fn chat(deltas: &[Value], reason: &str) -> Reply {
    let mut body = String::new();
    for delta in deltas {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": null });
        body.push_str(&format!("data: {}\n\n", json!({ "id": "x", "choices": [choice] })));
    }
    let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] });
    let usage = json!({ "choices": [], "usage": { "prompt_tokens": 20, "completion_tokens": 4 } });
    body.push_str(&format!("data: {end}\n\ndata: {usage}\n\ndata: [DONE]\n\n"));
    Reply::stream(&body)
}

pub(crate) fn chat_text(text: &str) -> Reply {
    chat(&[json!({ "content": text })], "stop")
}

/// A delta with tool calls. Each call is an id, a name and arguments.
pub(crate) fn chat_calls(calls: &[(&str, &str, &str)]) -> Value {
    let call = |(index, (id, name, arguments)): (usize, &(&str, &str, &str))| {
        let function = json!({ "name": name, "arguments": arguments });
        json!({ "index": index, "id": id, "type": "function", "function": function })
    };
    json!({ "tool_calls": calls.iter().enumerate().map(call).collect::<Vec<_>>() })
}

/// The bodies of the requests so far.
pub(crate) fn bodies(server: &Server) -> Vec<Value> {
    let body =
        |request: &String| serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap();
    server.requests().iter().map(body).collect()
}

/// Checks that the client received no key.
pub(crate) fn without_key(turn: &Turn) {
    let told = format!("{turn:?}");
    assert!(!told.contains(KEY), "{told}");
}

/// The error message in the response to the prompt.
pub(crate) fn error(turn: &Turn) -> (i64, String) {
    let error = &turn.result["error"];
    (
        error["code"].as_i64().unwrap_or_default(),
        error["message"].as_str().unwrap_or_default().to_owned(),
    )
}

/// What the built-in catalogue says about a model of Anthropic.
pub(crate) fn known(id: &str) -> attache_models::KnownModel {
    let environment = |name: &str| (name == "ANTHROPIC_API_KEY").then(|| KEY.to_owned());
    Models::of(&environment, None).unwrap().find(id).unwrap()
}
