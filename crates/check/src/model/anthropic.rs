//! The API of Anthropic Messages.

use super::answer::{Answer, Call, End, pieces};
use super::events::{Events, list, model, text_at, text_of};
use super::request::{Item, Request};
use super::tool::{Arguments, Tool};
use crate::json::json;
use serde_json::Value;

pub(super) fn read(body: &Value) -> Request {
    let system = text_of(body.get("system").unwrap_or(&Value::Null));
    let said = list(body, "messages").iter().flat_map(items);
    let tools = list(body, "tools").iter().filter_map(|tool| {
        let schema = tool.get("input_schema")?.clone();
        Some(Tool { name: tool.get("name")?.as_str()?.to_owned(), schema })
    });
    let items = std::iter::once(Item::Other(system)).chain(said).collect();
    Request { items, tools: tools.collect(), ..Request::default() }
}

/// Returns the blocks of a message as items.
fn items(message: &Value) -> Vec<Item> {
    let content = message.get("content").unwrap_or(&Value::Null);
    let blocks = content.as_array().map_or(std::slice::from_ref(content), Vec::as_slice);
    let is_model = message.get("role").is_some_and(|role| role == "assistant");
    let item = |block: &Value| {
        let text = text_of(block);
        match block.get("type").and_then(Value::as_str) {
            Some("tool_use") => model(text, vec![text_at(block, "id")]),
            _ if is_model => model(text, Vec::new()),
            Some("tool_result") => Item::Other(text),
            _ => Item::Operator(text),
        }
    };
    blocks.iter().map(item).collect()
}

/// Returns the blocks of an answer.
fn blocks(answer: &Answer) -> Vec<Value> {
    let mut blocks = Vec::new();
    if !answer.thought.is_empty() {
        blocks
            .push(json!({"type": "thinking", "thinking": answer.thought, "signature": "attache"}));
    }
    if !answer.text.is_empty() {
        blocks.push(json!({"type": "text", "text": answer.whole_text()}));
    }
    blocks.extend(answer.calls.iter().map(|call| {
        let Call { id, name, .. } = call;
        json!({"type": "tool_use", "id": id, "name": name, "input": input(call)})
    }));
    blocks
}

fn input(call: &Call) -> Value {
    match &call.arguments {
        Arguments::Object(object) => object.clone(),
        Arguments::Text(text) => json!({ "input": text }),
    }
}

pub(super) fn whole(request: &Request, answer: &Answer) -> Value {
    message(request, answer, &blocks(answer), Some(reason(answer)), answer.usage.output)
}

fn message(
    request: &Request,
    answer: &Answer,
    content: &[Value],
    reason: Option<&str>,
    output: u64,
) -> Value {
    let usage = answer.usage;
    json!({
        "id": format!("msg_attache_{}", answer.number), "type": "message", "role": "assistant", "model": request.model, "content": content,
        "stop_reason": reason, "stop_sequence": null,
        "usage": {
            "input_tokens": usage.input - usage.cached, "cache_read_input_tokens": usage.cached,
            "cache_creation_input_tokens": 0, "output_tokens": output,
        },
    })
}

pub(super) fn events(request: &Request, answer: &Answer) -> Events {
    let mut before =
        vec![json!({"type": "message_start", "message": message(request, answer, &[], None, 0)})];
    let mut index = 0;
    if !answer.thought.is_empty() {
        before.push(start(index, &json!({"type": "thinking", "thinking": "", "signature": ""})));
        let deltas = pieces(&answer.thought).into_iter();
        before.extend(deltas.map(|piece| delta(index, "thinking_delta", "thinking", piece)));
        before.push(delta(index, "signature_delta", "signature", "attache"));
        before.push(stop(index));
        index += 1;
    }
    let (mut text, mut after) = (Vec::new(), Vec::new());
    if !answer.text.is_empty() {
        before.push(start(index, &json!({"type": "text", "text": ""})));
        text.extend(
            answer.pieces().into_iter().map(|piece| delta(index, "text_delta", "text", piece)),
        );
        after.push(stop(index));
        index += 1;
    }
    for (index, call) in (index..).zip(&answer.calls) {
        let block = json!({"type": "tool_use", "id": call.id, "name": call.name, "input": {}});
        after.push(start(index, &block));
        let input = input(call).to_string();
        let deltas = pieces(&input).into_iter();
        after.extend(deltas.map(|piece| delta(index, "input_json_delta", "partial_json", piece)));
        after.push(stop(index));
    }
    let end = json!({"stop_reason": reason(answer), "stop_sequence": null});
    let usage = json!({"output_tokens": answer.usage.output});
    after.push(json!({"type": "message_delta", "delta": end, "usage": usage}));
    after.push(json!({"type": "message_stop"}));
    Events { before, text, times: answer.times, after }
}

fn start(index: usize, block: &Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn delta(index: usize, kind: &str, key: &str, piece: &str) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": {"type": kind, key: piece}})
}

fn stop(index: usize) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn reason(answer: &Answer) -> &'static str {
    match answer.end {
        End::Length => "max_tokens",
        End::Refusal => "refusal",
        End::Stop if answer.calls.is_empty() => "end_turn",
        End::Stop => "tool_use",
    }
}
