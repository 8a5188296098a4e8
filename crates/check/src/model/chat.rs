//! The API of OpenAI Chat Completions.

use super::answer::{Answer, Call, End, pieces};
use super::events::{Events, joined, list, model, text_at, text_of};
use super::request::{Item, Request};
use super::tool::{Arguments, Tool};
use crate::json::json;
use serde_json::Value;

pub(super) fn read(body: &Value) -> Request {
    let items = list(body, "messages").iter().map(item).collect();
    let tools = list(body, "tools").iter().filter_map(|tool| {
        let function = tool.get("function").or_else(|| tool.get("custom"))?;
        let schema = function.get("parameters").cloned().unwrap_or_default();
        Some(Tool { name: function.get("name")?.as_str()?.to_owned(), schema })
    });
    Request { items, tools: tools.collect(), ..Request::default() }
}

fn item(message: &Value) -> Item {
    let text = text_of(message.get("content").unwrap_or(&Value::Null));
    match message.get("role").and_then(Value::as_str) {
        Some("user") => Item::Operator(text),
        Some("assistant") => model(
            text,
            list(message, "tool_calls").iter().map(|call| text_at(call, "id")).collect(),
        ),
        _ => Item::Other(text),
    }
}

fn id(answer: &Answer) -> String {
    format!("chatcmpl-attache-{}", answer.number)
}

pub(super) fn whole(request: &Request, answer: &Answer) -> Value {
    let refuses = answer.end == End::Refusal;
    let said = (!answer.text.is_empty()).then(|| answer.whole_text());
    let (content, refusal) = if refuses { (None, said) } else { (said, None) };
    let mut message = json!({"role": "assistant", "content": content, "refusal": refusal});
    if !answer.thought.is_empty() {
        message = joined(message, json!({"reasoning_content": answer.thought}));
    }
    if !answer.calls.is_empty() {
        let calls: Vec<Value> =
            answer.calls.iter().map(|call| tool_call(call, &arguments(call))).collect();
        message = joined(message, json!({"tool_calls": calls}));
    }
    json!({
        "id": id(answer), "object": "chat.completion", "created": 0, "model": request.model, "usage": usage(answer),
        "choices": [{"index": 0, "message": message, "logprobs": null, "finish_reason": reason(answer)}],
    })
}

pub(super) fn events(request: &Request, answer: &Answer) -> Events {
    let chunk = |delta: Value, reason: Option<&str>| {
        json!({
            "id": id(answer), "object": "chat.completion.chunk", "created": 0, "model": request.model,
            "choices": [{"index": 0, "delta": delta, "logprobs": null, "finish_reason": reason}],
        })
    };
    let mut before = vec![chunk(json!({"role": "assistant", "content": ""}), None)];
    before.extend(
        pieces(&answer.thought)
            .iter()
            .map(|piece| chunk(json!({"reasoning_content": piece}), None)),
    );
    let key = if answer.end == End::Refusal { "refusal" } else { "content" };
    let text = answer.pieces().into_iter().filter(|piece| !piece.is_empty());
    let mut after = Vec::new();
    for (index, call) in answer.calls.iter().enumerate() {
        let (kind, key) = kind_of(call);
        let first = joined(tool_call(call, ""), json!({"index": index}));
        after.push(chunk(json!({"tool_calls": [first]}), None));
        for piece in pieces(&arguments(call)) {
            let more = json!({"index": index, kind: { key: piece }});
            after.push(chunk(json!({"tool_calls": [more]}), None));
        }
    }
    after.push(chunk(json!({}), Some(reason(answer))));
    after.push(joined(chunk(json!({}), None), json!({"choices": [], "usage": usage(answer)})));
    let text = text.map(|piece| chunk(json!({ key: piece }), None)).collect();
    Events { before, text, times: answer.times, after }
}

/// Returns the arguments as a JSON text.
fn arguments(call: &Call) -> String {
    match &call.arguments {
        Arguments::Object(object) => object.to_string(),
        Arguments::Text(text) => text.clone(),
    }
}

fn tool_call(call: &Call, arguments: &str) -> Value {
    let (kind, key) = kind_of(call);
    json!({"id": call.id, "type": kind, kind: {"name": call.name, key: arguments}})
}

/// Returns the type of a called tool, and the member with its arguments.
fn kind_of(call: &Call) -> (&'static str, &'static str) {
    match call.arguments {
        Arguments::Object(_) => ("function", "arguments"),
        Arguments::Text(_) => ("custom", "input"),
    }
}

fn reason(answer: &Answer) -> &'static str {
    match answer.end {
        End::Length => "length",
        End::Refusal => "content_filter",
        End::Stop if answer.calls.is_empty() => "stop",
        End::Stop => "tool_calls",
    }
}

fn usage(answer: &Answer) -> Value {
    let usage = answer.usage;
    json!({
        "prompt_tokens": usage.input, "completion_tokens": usage.output, "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    })
}
