//! Chat Completions, as the providers that use it are on 2026-11-28.

use crate::conversation::{self, FILE, Item, Next, THOUGHT, list, number, string};
use crate::names::{has, version};
use crate::responses;
use crate::server::{Call, Refusal};
use serde_json::{Value, json};

fn refuse(status: u16, kind: &str, message: impl Into<String>) -> Refusal {
    let error = json!({"message": message.into(), "type": kind, "param": null, "code": kind});
    Refusal { status, body: json!({"error": error}) }
}

/// Returns the answer to a request.
pub(crate) fn reply(call: &Call) -> Result<String, Refusal> {
    let (body, name) = (&call.body, string(&call.body, "model"));
    let messages = list(body, "messages");
    check_calls(messages)?;
    let thinks = match call.provider.as_str() {
        "deepseek" => deepseek(name, body)?,
        "moonshot" => moonshot(name, body)?,
        "mistral" => mistral(name, body)?,
        "openrouter" => openrouter(name, body)?,
        "qwen" => qwen(name, body)?,
        "openai" => openai(name, body)?,
        _ => starter(messages)?,
    };
    let items: Vec<Item> = messages.iter().filter_map(item).collect();
    let next = conversation::next(&items, !list(body, "tools").is_empty());
    if next == Next::Overflow {
        return Err(refuse(
            400,
            "invalid_request_error",
            "This model's maximum context length is 1048576 tokens. However, you requested 1048577 tokens. Please reduce the length of the messages.",
        ));
    }
    Ok(answer(&call.provider, thinks, next))
}

/// Returns the messages of the model that call tools, with their indices.
fn with_calls(body: &Value) -> impl Iterator<Item = (usize, &Value)> {
    let messages = list(body, "messages").iter().enumerate();
    messages.filter(|(_, message)| !list(message, "tool_calls").is_empty())
}

fn deepseek(name: &str, body: &Value) -> Result<bool, Refusal> {
    if version(name) < (4, 0) && name != "deepseek-flash" {
        return Err(refuse(400, "invalid_request_error", "Model Not Exist"));
    }
    if pictures(body) > 0 && !has(name, &["flash"]) {
        let message = "Failed to deserialize the JSON body into the target type: messages: unknown variant `image_url`, expected `text`";
        return Err(refuse(400, "invalid_request_error", message));
    }
    let thinks = body.pointer("/thinking/type") != Some(&json!("disabled"));
    let bare = |message: &Value| message.get("reasoning_content").is_none_or(|it| !it.is_string());
    if thinks && with_calls(body).any(|(_, message)| bare(message)) {
        return Err(refuse(
            400,
            "invalid_request_error",
            "The `reasoning_content` in the thinking mode must be passed back to the API.",
        ));
    }
    Ok(thinks)
}

fn moonshot(name: &str, body: &Value) -> Result<bool, Refusal> {
    if version(name) < (2, 5) {
        let message = format!("Not found the model {name} or Permission denied");
        return Err(refuse(404, "resource_not_found_error", message));
    }
    let effort = body["reasoning_effort"].as_str();
    let is_known =
        |effort: &&str| version(name) >= (3, 0) && ["low", "high", "max"].contains(effort);
    if let Some(effort) = effort.filter(|effort| !is_known(effort)) {
        let message = format!("invalid reasoning_effort: {effort}");
        return Err(refuse(400, "invalid_request_error", message));
    }
    let thinks = body.pointer("/thinking/type") != Some(&json!("disabled"));
    let bare = |message: &Value| string(message, "reasoning_content").is_empty();
    if let Some((at, _)) = with_calls(body).find(|(_, message)| thinks && bare(message)) {
        return Err(refuse(
            400,
            "invalid_request_error",
            format!(
                "thinking is enabled but reasoning_content is missing in assistant tool call message at index {at}"
            ),
        ));
    }
    Ok(thinks)
}

fn mistral(name: &str, body: &Value) -> Result<bool, Refusal> {
    let known = ["mistral", "devstral", "magistral", "codestral", "ministral"];
    let error = |status, kind: &str, message: String| {
        let body = json!({
            "object": "error", "message": message, "type": kind, "param": null, "code": "1500",
        });
        Refusal { status, body }
    };
    if !known.iter().any(|family| name.starts_with(family)) {
        return Err(error(400, "invalid_model", format!("Invalid model: {name}")));
    }
    const FIELDS: [&str; 9] = [
        "model",
        "messages",
        "stream",
        "tools",
        "tool_choice",
        "max_tokens",
        "temperature",
        "parallel_tool_calls",
        "reasoning_effort",
    ];
    let extra = body.as_object().unwrap().keys().find(|key| !FIELDS.contains(&key.as_str()));
    if let Some(extra) = extra {
        let detail = json!([{
            "type": "extra_forbidden", "loc": ["body", extra],
            "msg": "Extra inputs are not permitted",
        }]);
        let body = json!({"object": "error", "message": {"detail": detail}});
        return Err(Refusal { status: 422, body });
    }
    let effort = body["reasoning_effort"].as_str();
    if effort.is_some_and(|effort| !["none", "high"].contains(&effort)) {
        let message = "reasoning_effort: Input should be 'none' or 'high'";
        return Err(error(422, "invalid_request_error", message.to_owned()));
    }
    let ids = with_calls(body).flat_map(|(_, message)| list(message, "tool_calls"));
    let mut ids = ids.map(|call| string(call, "id"));
    let is_short = |id: &str| id.len() == 9 && id.chars().all(|it| it.is_ascii_alphanumeric());
    if let Some(id) = ids.find(|id| !is_short(id)) {
        let message =
            format!("Tool call id was {id} but must be a-z, A-Z, 0-9, with a length of 9.");
        return Err(error(400, "invalid_function_call", message));
    }
    Ok(effort == Some("high"))
}

fn openrouter(name: &str, body: &Value) -> Result<bool, Refusal> {
    if !name.contains('/') {
        return Err(refuse(
            400,
            "invalid_request_error",
            format!("{name} is not a valid model ID"),
        ));
    }
    let reasoning = &body["reasoning"];
    let is_claude = name.contains("anthropic/") && version(name) >= (4, 7);
    let budget = reasoning.get("max_tokens").is_some() || reasoning["enabled"] == false;
    if is_claude && budget {
        return Err(refuse(
            400,
            "invalid_request_error",
            "Provider returned error: a thinking budget is not supported for this model",
        ));
    }
    Ok(reasoning["effort"] != "none" && reasoning["enabled"] != false)
}

fn qwen(name: &str, body: &Value) -> Result<bool, Refusal> {
    if !name.starts_with("qwen") {
        let message = format!("The model `{name}` does not exist or you do not have access to it.");
        return Err(refuse(404, "model_not_found", message));
    }
    Ok(body["enable_thinking"] == true)
}

/// OpenAI's own Chat Completions.
fn openai(name: &str, body: &Value) -> Result<bool, Refusal> {
    responses::check_name(name)?;
    let effort = body["reasoning_effort"].as_str();
    responses::check_effort(name, effort, "reasoning_effort")?;
    let unsupported = |message: &str| responses::refuse(400, "unsupported_parameter", message);
    if body.get("max_tokens").is_some() && version(name) >= (5, 0) {
        return Err(unsupported(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        ));
    }
    let has_tools = !list(body, "tools").is_empty();
    let refuses = match version(name) {
        version if version >= (5, 6) => effort != Some("none"),
        version if version >= (5, 4) => effort.is_some_and(|effort| effort != "none"),
        _ => false,
    };
    if has_tools && refuses {
        return Err(unsupported(&format!(
            "Function tools with reasoning_effort are not supported for {name} in /v1/chat/completions. Please use /v1/responses or set reasoning_effort to 'none'."
        )));
    }
    Ok(false)
}

/// A model that calls a tool, and whose account is then empty.
fn starter(messages: &[Value]) -> Result<bool, Refusal> {
    match messages.iter().any(|message| message["role"] == "tool") {
        true => Err(refuse(402, "billing_error", "Your credit balance is too low")),
        false => Ok(false),
    }
}

/// Checks that results follow their calls.
fn check_calls(messages: &[Value]) -> Result<(), Refusal> {
    for (at, message) in messages.iter().enumerate() {
        let calls: Vec<&str> =
            list(message, "tool_calls").iter().map(|call| string(call, "id")).collect();
        let results = messages.iter().skip(at + 1).take(calls.len());
        let results: Vec<&str> = results.map(|result| string(result, "tool_call_id")).collect();
        if calls != results {
            return Err(refuse(
                400,
                "invalid_request_error",
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
            ));
        }
    }
    Ok(())
}

fn pictures(body: &Value) -> usize {
    let parts = list(body, "messages").iter().flat_map(|message| list(message, "content"));
    parts.filter(|part| part["type"] == "image_url").count()
}

fn item(message: &Value) -> Option<Item> {
    let text = conversation::text(&message["content"]);
    let pictures =
        list(message, "content").iter().filter(|part| part["type"] == "image_url").count();
    Some(match string(message, "role") {
        "user" => Item::User { text, pictures },
        "assistant" => Item::Model { text, calls: list(message, "tool_calls").len() },
        "tool" => Item::Result,
        _ => return None,
    })
}

fn answer(provider: &str, thinks: bool, next: Next) -> String {
    let thought = match provider {
        "mistral" => {
            let thought =
                json!({"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]});
            json!({"content": [thought]})
        }
        "openrouter" => {
            let detail = json!({"type": "reasoning.text", "text": THOUGHT, "index": 0});
            json!({"reasoning": THOUGHT, "reasoning_details": [detail]})
        }
        _ => json!({"reasoning_content": THOUGHT}),
    };
    let (delta, reason) = match next {
        Next::Say(text) => (json!({"content": text}), "stop"),
        _ => {
            // Mistral's ids have 9 letters and digits.
            let id = format!("call{:05}", number() % 100_000);
            let function = json!({"name": "read", "arguments": json!({"path": FILE}).to_string()});
            let call = json!({"index": 0, "id": id, "type": "function", "function": function});
            (json!({"tool_calls": [call]}), "tool_calls")
        }
    };
    let chunk = |delta: Value, reason: Option<&str>| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": reason});
        json!({"id": "x", "object": "chat.completion.chunk", "choices": [choice]})
    };
    let mut data: Vec<Value> = thinks.then(|| chunk(thought, None)).into_iter().collect();
    data.push(chunk(delta, None));
    data.push(chunk(json!({}), Some(reason)));
    data.push(json!({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 5}}));
    conversation::events(&data) + "data: [DONE]\n\n"
}
