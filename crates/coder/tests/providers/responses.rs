//! OpenAI Responses, as it is on 2026-11-28.

use crate::conversation::{self, FILE, Item, Next, THOUGHT, list, number, string};
use crate::names::version;
use crate::server::{Call, Refusal};
use serde_json::{Value, json};

/// The models that have ended.
const RETIRED: &[&str] = &["gpt-5.1-codex", "o4-mini", "o3", "gpt-4o", "gpt-5-codex"];

pub(crate) fn refuse(status: u16, code: &str, message: impl Into<String>) -> Refusal {
    let error = json!({
        "message": message.into(), "type": "invalid_request_error", "param": null, "code": code,
    });
    Refusal { status, body: json!({"error": error}) }
}

/// Checks that the model exists.
pub(crate) fn check_name(name: &str) -> Result<(), Refusal> {
    let exists = name.starts_with("gpt-") && version(name) >= (4, 0) && !RETIRED.contains(&name);
    match exists {
        true => Ok(()),
        false => Err(refuse(
            404,
            "model_not_found",
            format!("The model `{name}` does not exist or you do not have access to it."),
        )),
    }
}

/// Returns the efforts that a model accepts; none if it cannot think.
pub(crate) fn efforts(name: &str) -> &'static [&'static str] {
    match version(name) {
        (4, _) => &[],
        (5, 0) => &["minimal", "low", "medium", "high"],
        (5, 1) => &["none", "low", "medium", "high"],
        (5, _) => &["none", "low", "medium", "high", "xhigh"],
        (6, 0) if name.contains("astra") => &["low", "medium", "high", "xhigh", "max"],
        (6, 1) if name.contains("sol") => &["low", "medium", "high", "xhigh", "max"],
        _ => &["none", "low", "medium", "high", "xhigh", "max"],
    }
}

/// Checks that the model accepts this effort.
pub(crate) fn check_effort(name: &str, effort: Option<&str>, field: &str) -> Result<(), Refusal> {
    let Some(effort) = effort else { return Ok(()) };
    let accepted = efforts(name);
    if accepted.is_empty() {
        let message = format!("Unsupported parameter: '{field}' is not supported with this model.");
        return Err(refuse(400, "unsupported_parameter", message));
    }
    match accepted.contains(&effort) {
        true => Ok(()),
        false => Err(refuse(
            400,
            "unsupported_value",
            format!(
                "Unsupported value: '{effort}' is not supported with the '{name}' model. Supported values are: '{}'.",
                accepted.join("', '")
            ),
        )),
    }
}

/// Returns the answer to a request.
pub(crate) fn reply(call: &Call) -> Result<String, Refusal> {
    let (body, name) = (&call.body, string(&call.body, "model"));
    check_name(name)?;
    for field in ["max_tokens", "messages", "reasoning_effort"] {
        if body.get(field).is_some() {
            let message = format!("Unsupported parameter: '{field}'.");
            return Err(refuse(400, "unsupported_parameter", message));
        }
    }
    if body["max_output_tokens"].as_u64().is_some_and(|most| most < 16) {
        return Err(refuse(400, "integer_below_min_value", "Invalid 'max_output_tokens'"));
    }
    let effort = body.pointer("/reasoning/effort").and_then(Value::as_str);
    check_effort(name, effort, "reasoning.effort")?;
    let thinks = !efforts(name).is_empty() && effort != Some("none");
    if body.get("include").is_some() && efforts(name).is_empty() {
        let message = "Encrypted content is not supported with this model.";
        return Err(refuse(400, "invalid_value", message));
    }
    check_input(list(body, "input"))?;
    let items: Vec<Item> = list(body, "input").iter().filter_map(item).collect();
    let next = match conversation::next(&items, !list(body, "tools").is_empty()) {
        Next::Overflow => {
            let message =
                "Your input exceeds the context window of this model. Please adjust your input.";
            return Err(refuse(400, "context_length_exceeded", message));
        }
        Next::Say(text) => {
            let content = json!([{"type": "output_text", "text": text, "annotations": []}]);
            json!({
                "type": "message", "id": format!("msg_{}", number()), "role": "assistant",
                "content": content,
            })
        }
        Next::Read => json!({
            "type": "function_call", "id": format!("fc_{}", number()),
            "call_id": format!("call_{}", number()), "name": "read",
            "arguments": json!({"path": FILE}).to_string(),
        }),
    };
    let thought = thinks.then(|| thought(body));
    Ok(answer(thought.into_iter().chain([next]).collect()))
}

fn thought(body: &Value) -> Value {
    let shows = body.pointer("/reasoning/summary").is_some();
    let summary =
        if shows { json!([{"type": "summary_text", "text": THOUGHT}]) } else { json!([]) };
    let mut thought =
        json!({"type": "reasoning", "id": format!("rs_{}", number()), "summary": summary});
    let includes = list(body, "include").contains(&json!("reasoning.encrypted_content"));
    if let (true, Some(thought)) = (includes, thought.as_object_mut()) {
        thought.insert("encrypted_content".to_owned(), json!(format!("sealed-{}", number())));
    }
    thought
}

fn check_input(input: &[Value]) -> Result<(), Refusal> {
    for (at, item) in input.iter().enumerate() {
        let next = input.get(at + 1).map_or("", |next| string(next, "type"));
        let message = match string(item, "type") {
            "reasoning" if !string(item, "encrypted_content").starts_with("sealed-") => {
                "The encrypted content could not be verified.".to_owned()
            }
            "reasoning" if !["message", "function_call", "reasoning"].contains(&next) => format!(
                "Item '{}' of type 'reasoning' was provided without its required following item.",
                string(item, "id")
            ),
            "function_call" if !answered(input, item, "function_call_output") => {
                format!("No tool output found for function call {}.", string(item, "call_id"))
            }
            "function_call_output" if !answered(input, item, "function_call") => format!(
                "No tool call found for function call output with call_id {}.",
                string(item, "call_id")
            ),
            _ => continue,
        };
        return Err(refuse(400, "invalid_request_error", message));
    }
    Ok(())
}

fn answered(input: &[Value], item: &Value, kind: &str) -> bool {
    input.iter().any(|other| other["type"] == kind && other["call_id"] == item["call_id"])
}

fn item(item: &Value) -> Option<Item> {
    let text = conversation::text(&item["content"]);
    let pictures =
        list(item, "content").iter().filter(|part| part["type"] == "input_image").count();
    Some(match (string(item, "type"), string(item, "role")) {
        ("message" | "", "user") => Item::User { text, pictures },
        ("message" | "", "assistant") => Item::Model { text, calls: 0 },
        ("function_call", _) => Item::Model { text: String::new(), calls: 1 },
        ("function_call_output", _) => Item::Result,
        _ => return None,
    })
}

fn answer(output: Vec<Value>) -> String {
    let mut data = vec![json!({"type": "response.created", "response": {}})];
    for (index, item) in output.iter().enumerate() {
        let event = |kind: &str| json!({"type": kind, "output_index": index, "item": item});
        data.push(event("response.output_item.added"));
        for part in list(item, "summary") {
            let kind = "response.reasoning_summary_text.delta";
            data.push(json!({"type": kind, "output_index": index, "delta": part["text"]}));
        }
        for part in list(item, "content") {
            let kind = "response.output_text.delta";
            data.push(json!({"type": kind, "output_index": index, "delta": part["text"]}));
        }
        data.push(event("response.output_item.done"));
    }
    let usage = json!({"input_tokens": 10, "output_tokens": 5, "total_tokens": 15});
    let response = json!({"status": "completed", "error": null, "output": output, "usage": usage});
    data.push(json!({"type": "response.completed", "response": response}));
    conversation::events(&data)
}
