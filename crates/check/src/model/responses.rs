//! The API of OpenAI Responses.

use super::answer::{Answer, Call, End, pieces};
use super::events::{Events, joined, list, model, text_at, text_of};
use super::request::{Item, Request};
use super::tool::{Arguments, Tool};
use crate::json::json;
use serde_json::Value;

pub(super) fn read(body: &Value) -> Request {
    let items = match body.get("input") {
        Some(Value::String(text)) => vec![Item::Operator(text.clone())],
        _ => list(body, "input").iter().map(item).collect(),
    };
    let tools = list(body, "tools").iter().filter_map(|tool| {
        let schema = tool.get("parameters").cloned().unwrap_or_default();
        Some(Tool { name: tool.get("name")?.as_str()?.to_owned(), schema })
    });
    Request { items, tools: tools.collect(), ..Request::default() }
}

fn item(item: &Value) -> Item {
    let kind = item.get("type").and_then(Value::as_str).unwrap_or("message");
    let text = text_of(item);
    match (kind, item.get("role").and_then(Value::as_str)) {
        ("message", Some("user")) => Item::Operator(text),
        ("message", Some("assistant")) => model(text, Vec::new()),
        ("reasoning", _) => model(text, Vec::new()),
        (call, _) if call.ends_with("_call") => model(text, vec![text_at(item, "call_id")]),
        _ => Item::Other(text),
    }
}

pub(super) fn whole(request: &Request, answer: &Answer) -> Value {
    let (status, why) = match answer.end {
        End::Length => ("incomplete", Some("max_output_tokens")),
        End::Refusal => ("incomplete", Some("content_filter")),
        End::Stop => ("completed", None),
    };
    response(request, answer, status, why, &output(answer), &usage(answer))
}

/// Returns the id of an item of this kind in an answer.
fn id(kind: &str, answer: &Answer) -> String {
    format!("{kind}_attache_{}", answer.number)
}

fn response(
    request: &Request,
    answer: &Answer,
    status: &str,
    why: Option<&str>,
    output: &[Value],
    usage: &Value,
) -> Value {
    json!({
        "id": id("resp", answer), "object": "response", "created_at": 0, "status": status, "model": request.model, "output": output,
        "incomplete_details": why.map(|why| json!({"reason": why})), "error": null, "usage": usage,
        "parallel_tool_calls": true, "tool_choice": "auto", "tools": [],
    })
}

/// Returns the items of an answer.
fn output(answer: &Answer) -> Vec<Value> {
    let mut output = Vec::new();
    if !answer.thought.is_empty() {
        let summary = json!([{"type": "summary_text", "text": answer.thought}]);
        output.push(json!({"type": "reasoning", "id": id("rs", answer), "summary": summary}));
    }
    if !answer.text.is_empty() {
        output.push(message(answer, json!([part(answer, &answer.whole_text())]), "completed"));
    }
    output
        .extend(answer.calls.iter().map(|call| function_call(call, &arguments(call), "completed")));
    output
}

fn message(answer: &Answer, content: Value, status: &str) -> Value {
    json!({"type": "message", "id": id("msg", answer), "role": "assistant", "status": status, "content": content})
}

/// Returns the part with the text or the refusal.
fn part(answer: &Answer, text: &str) -> Value {
    match answer.end {
        End::Refusal => json!({"type": "refusal", "refusal": text}),
        _ => json!({"type": "output_text", "text": text, "annotations": []}),
    }
}

/// Returns the arguments as JSON, or the text for a tool that takes a text.
fn arguments(call: &Call) -> String {
    match &call.arguments {
        Arguments::Object(object) => object.to_string(),
        Arguments::Text(text) => text.clone(),
    }
}

fn function_call(call: &Call, arguments: &str, status: &str) -> Value {
    let (kind, key) = match call.arguments {
        Arguments::Object(_) => ("function_call", "arguments"),
        Arguments::Text(_) => ("custom_tool_call", "input"),
    };
    let id = format!("fc_{}", call.id);
    json!({"type": kind, "id": id, "call_id": call.id, "name": call.name, key: arguments, "status": status})
}

fn usage(answer: &Answer) -> Value {
    let usage = answer.usage;
    json!({
        "input_tokens": usage.input, "output_tokens": usage.output, "total_tokens": usage.input + usage.output,
        "input_tokens_details": {"cached_tokens": usage.cached},
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
    })
}

pub(super) fn events(request: &Request, answer: &Answer) -> Events {
    let begun = response(request, answer, "in_progress", None, &[], &Value::Null);
    let mut before = vec![json!({"type": "response.created", "response": begun})];
    let mut items = 0;
    if !answer.thought.is_empty() {
        before.extend(thought(answer));
        items += 1;
    }
    let (mut text, mut after) = (Vec::new(), Vec::new());
    if !answer.text.is_empty() {
        before.push(added(items, &message(answer, json!([]), "in_progress")));
        let place =
            json!({"item_id": id("msg", answer), "output_index": items, "content_index": 0});
        let at =
            |kind: &str, more: Value| joined(joined(json!({"type": kind}), place.clone()), more);
        before.push(at("response.content_part.added", json!({"part": part(answer, "")})));
        let (kind, key) = match answer.end {
            End::Refusal => ("response.refusal", "refusal"),
            _ => ("response.output_text", "text"),
        };
        text.extend(
            answer
                .pieces()
                .iter()
                .map(|piece| at(&format!("{kind}.delta"), json!({"delta": piece}))),
        );
        let whole = answer.whole_text();
        after.push(at(&format!("{kind}.done"), json!({ key: whole })));
        after.push(at("response.content_part.done", json!({"part": part(answer, &whole)})));
        after.push(done(items, &message(answer, json!([part(answer, &whole)]), "completed")));
        items += 1;
    }
    for (index, call) in (items..).zip(&answer.calls) {
        after.extend(call_events(index, call));
    }
    let whole = whole(request, answer);
    let kind = if answer.end == End::Stop { "response.completed" } else { "response.incomplete" };
    after.push(json!({"type": kind, "response": whole}));
    let mut events = Events { before, text, times: answer.times, after };
    number(&mut events);
    events
}

fn thought(answer: &Answer) -> Vec<Value> {
    let place = json!({"item_id": id("rs", answer), "output_index": 0, "summary_index": 0});
    let at = |kind: &str, more: Value| joined(joined(json!({"type": kind}), place.clone()), more);
    let item =
        |summary: Value| json!({"type": "reasoning", "id": id("rs", answer), "summary": summary});
    let part = |text: &str| json!({"type": "summary_text", "text": text});
    let mut events = vec![
        added(0, &item(json!([]))),
        at("response.reasoning_summary_part.added", json!({"part": part("")})),
    ];
    let deltas = pieces(&answer.thought).into_iter();
    events.extend(
        deltas.map(|piece| at("response.reasoning_summary_text.delta", json!({"delta": piece}))),
    );
    events.push(at("response.reasoning_summary_text.done", json!({"text": answer.thought})));
    events.push(at("response.reasoning_summary_part.done", json!({"part": part(&answer.thought)})));
    events.push(done(0, &item(json!([part(&answer.thought)]))));
    events
}

fn call_events(index: usize, call: &Call) -> Vec<Value> {
    let all = arguments(call);
    let (kind, key) = match call.arguments {
        Arguments::Object(_) => ("response.function_call_arguments", "arguments"),
        Arguments::Text(_) => ("response.custom_tool_call_input", "input"),
    };
    let place = json!({"item_id": format!("fc_{}", call.id), "output_index": index});
    let at = |kind: String, more: Value| joined(joined(json!({"type": kind}), place.clone()), more);
    let mut events = vec![added(index, &function_call(call, "", "in_progress"))];
    events.extend(
        pieces(&all).iter().map(|piece| at(format!("{kind}.delta"), json!({"delta": piece}))),
    );
    events.push(at(format!("{kind}.done"), json!({ key: all })));
    events.push(done(index, &function_call(call, &all, "completed")));
    events
}

fn added(index: usize, item: &Value) -> Value {
    json!({"type": "response.output_item.added", "output_index": index, "item": item})
}

fn done(index: usize, item: &Value) -> Value {
    json!({"type": "response.output_item.done", "output_index": index, "item": item})
}

/// Numbers the events.
fn number(events: &mut Events) {
    let all = events.before.iter_mut().chain(&mut events.text).chain(&mut events.after);
    for (number, event) in all.enumerate() {
        *event = joined(event.take(), json!({"sequence_number": number}));
    }
}
