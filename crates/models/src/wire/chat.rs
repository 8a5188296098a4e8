//! Requests in the format of OpenAI Chat Completions, with the dialects of compatible servers.

pub(crate) mod calls;
pub(crate) mod dialect;
pub(crate) mod messages;
pub(crate) mod reasoning;
pub(crate) mod stream;
pub(crate) mod think_tags;
use crate::message::{Request, Thinking, ToolSpec};
use crate::wire::adapter::{Adapter, Decoder};
use crate::wire::chat::dialect::Dialect;
use crate::wire::chat::reasoning::Keeps;
use crate::wire::history;
use serde_json::{Map, Value, json};

/// OpenAI Chat Completions.
#[derive(Debug)]
pub(crate) struct Chat;

impl Adapter for Chat {
    fn url(&self, base: &str, _: &str) -> String {
        format!("{base}/chat/completions")
    }

    fn body(&self, dialect: Dialect, request: &Request) -> Value {
        body(dialect, request)
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::<stream::ChatStream>::default()
    }
}

/// Returns the body of a request.
fn body(dialect: Dialect, request: &Request) -> Value {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({"role": "system", "content": request.system}));
    }
    let keeps = Keeps::of(dialect, request.thinking.as_ref());
    messages.extend(messages::messages(dialect, keeps, &history::readable(request)));
    if dialect == Dialect::OpenRouter && caches_by_mark(&request.model.name) {
        mark_for_cache(&mut messages);
    }
    let mut body = Map::new();
    let mut set = |name: &str, value: Value| body.insert(name.to_owned(), value);
    set("model", json!(request.model.name));
    set("messages", Value::Array(messages));
    set("stream", json!(true));
    match dialect {
        // Mistral always sends usage, and rejects unknown fields.
        Dialect::Mistral => {}
        Dialect::OpenRouter => drop(set("usage", json!({"include": true}))),
        _ => drop(set("stream_options", json!({"include_usage": true}))),
    }
    if !request.tools.is_empty() {
        set("tools", request.tools.iter().map(tool).collect());
    }
    if let Some(most) = request.max_output {
        let name = if dialect == Dialect::OpenAi { "max_completion_tokens" } else { "max_tokens" };
        set(name, json!(most));
    }
    if matches!(dialect, Dialect::OpenAi | Dialect::Moonshot) {
        set("prompt_cache_key", json!(request.session));
    }
    for (name, value) in
        request.thinking.iter().flat_map(|thinking| thinking_fields(dialect, thinking))
    {
        set(name, value);
    }
    Value::Object(body)
}

fn tool(tool: &ToolSpec) -> Value {
    let function =
        json!({"name": tool.name, "description": tool.description, "parameters": tool.schema});
    json!({"type": "function", "function": function})
}

/// Returns whether OpenRouter passes the marks of a cache on for the model with this name. It
/// ignores them for other models.
fn caches_by_mark(name: &str) -> bool {
    let vendors = ["anthropic/", "claude", "gemini", "minimax", "glm", "z-ai"];
    let name = name.to_ascii_lowercase();
    vendors.iter().any(|vendor| name.contains(vendor))
}

fn thinking_fields(dialect: Dialect, thinking: &Thinking) -> Vec<(&'static str, Value)> {
    let switch = |on| ("thinking", json!({"type": if on { "enabled" } else { "disabled" }}));
    match (dialect, thinking) {
        (Dialect::OpenRouter, Thinking::Effort(effort) | Thinking::BetweenTools(effort)) => {
            let effort = if effort == "max" { "xhigh" } else { effort };
            vec![("reasoning", json!({"effort": effort}))]
        }
        (Dialect::OpenRouter, Thinking::Budget(0)) => {
            vec![("reasoning", json!({"enabled": false}))]
        }
        (Dialect::OpenRouter, Thinking::Budget(tokens)) => {
            vec![("reasoning", json!({"max_tokens": tokens}))]
        }
        (Dialect::Qwen, Thinking::Budget(0)) => vec![("enable_thinking", json!(false))],
        (Dialect::Qwen, Thinking::Budget(tokens)) => {
            vec![("enable_thinking", json!(true)), ("thinking_budget", json!(tokens))]
        }
        (Dialect::DeepSeek, Thinking::Effort(effort)) if effort == "none" => vec![switch(false)],
        (Dialect::DeepSeek, Thinking::Effort(effort)) => {
            vec![switch(true), ("reasoning_effort", json!(effort))]
        }
        (Dialect::DeepSeek | Dialect::Moonshot, Thinking::Budget(tokens)) => {
            vec![switch(*tokens > 0)]
        }
        (Dialect::OpenAi | Dialect::Mistral, Thinking::Budget(0)) => {
            vec![("reasoning_effort", json!("none"))]
        }
        (_, Thinking::Effort(effort) | Thinking::BetweenTools(effort)) => {
            vec![("reasoning_effort", json!(effort))]
        }
        // The other servers support no thinking budget, and have no common way to turn thinking
        // off.
        (_, Thinking::Budget(_)) => Vec::new(),
    }
}

/// Marks the ends of the parts that these models cache: the system prompt and the last two
/// user messages. At most four marks are allowed.
fn mark_for_cache(messages: &mut [Value]) {
    let (mut system, mut person) = (1, 2);
    for message in messages.iter_mut().rev() {
        let left = match message.get("role").and_then(Value::as_str) {
            Some("system") => &mut system,
            Some("user") => &mut person,
            _ => continue,
        };
        if *left == 0 {
            continue;
        }
        *left -= 1;
        let Some(content) = message.get_mut("content") else { continue };
        if let Value::String(text) = content {
            *content = json!([{"type": "text", "text": text}]);
        }
        let last = content
            .as_array_mut()
            .and_then(|parts| parts.last_mut())
            .and_then(Value::as_object_mut);
        if let Some(last) = last {
            last.insert("cache_control".to_owned(), json!({"type": "ephemeral"}));
        }
    }
}

#[cfg(test)]
mod tests;
