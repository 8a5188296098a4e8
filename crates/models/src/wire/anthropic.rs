//! Requests in the format of Anthropic Messages.

mod preserved;
pub(crate) mod stream;
use crate::message::{
    AssistantMessage, AssistantPart, Document, Media, Message, Part, Request, Thinking, ToolReply,
    ToolSpec,
};
use crate::secret::Secret;
use crate::wire::adapter::{Adapter, Decoder, unversioned};
use crate::wire::chat::dialect::Dialect;
use crate::wire::history;
use serde_json::{Map, Value, json};

/// The maximum length of an answer in tokens, if the request sets none. The API requires a number,
/// and every model accepts this one.
const MAX_OUTPUT: u64 = 8192;

/// The minimum budget for thoughts, in tokens.
const LEAST_BUDGET: u64 = 1024;

/// The value of `anthropic-beta` that lets models with a thinking budget think between their tool
/// calls. Other models do so without it.
const INTERLEAVED: &str = "interleaved-thinking-2025-05-14";

/// Returns the headers that the wire requires besides the key.
fn headers(request: &Request) -> Vec<(String, Secret)> {
    let mut headers = vec![("anthropic-version".to_owned(), Secret::from("2023-06-01"))];
    let budget = matches!(request.thinking, Some(Thinking::Budget(LEAST_BUDGET..)));
    let betas = [(budget, INTERLEAVED), (drops_stale(request), preserved::BETA)];
    let betas: Vec<&str> = betas.iter().filter(|(used, _)| *used).map(|(_, beta)| *beta).collect();
    if !betas.is_empty() {
        headers.push(("anthropic-beta".to_owned(), Secret::from(betas.join(","))));
    }
    headers
}

/// Returns whether the provider is told to drop thoughts whose conversation has changed. The
/// setting does not exist for models that do not bind thoughts, or for requests without adaptive
/// thinking. A request without thoughts does not need it.
fn drops_stale(request: &Request) -> bool {
    let name = &request.model.name;
    let binds = match request.thinking {
        None => preserved::surely_binds_thoughts(name),
        Some(Thinking::Effort(_)) => preserved::binds_thoughts(name),
        Some(Thinking::Budget(_) | Thinking::BetweenTools(_)) => false,
    };
    binds && !request.without_thoughts
}

/// Anthropic Messages.
#[derive(Debug)]
pub(crate) struct Anthropic;

impl Adapter for Anthropic {
    fn url(&self, base: &str, _: &str) -> String {
        format!("{}/v1/messages", unversioned(base))
    }

    fn key_header(&self) -> Option<&'static str> {
        Some("x-api-key")
    }

    fn headers(&self, request: &Request) -> Vec<(String, Secret)> {
        headers(request)
    }

    fn body(&self, _: Dialect, request: &Request) -> Value {
        body(request)
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::<stream::AnthropicStream>::default()
    }
}

/// Returns the body of a request.
fn body(request: &Request) -> Value {
    let conversation = conversation(request);
    let most = request.max_output.unwrap_or(MAX_OUTPUT);
    let mut messages = messages(&conversation);
    mark_for_cache(&mut messages);
    let mut body = Map::new();
    let mut set = |name: &str, value: Value| drop(body.insert(name.to_owned(), value));
    set("model", json!(request.model.name));
    set("max_tokens", json!(most));
    set("stream", json!(true));
    if !request.system.is_empty() {
        set(
            "system",
            json!([{"type": "text", "text": request.system, "cache_control": {"type": "ephemeral"}}]),
        );
    }
    if !request.tools.is_empty() {
        set("tools", request.tools.iter().map(tool).collect());
    }
    set("messages", Value::Array(messages));
    for (name, value) in thinking_fields(request, most, &conversation) {
        set(name, value);
    }
    Value::Object(body)
}

fn tool(tool: &ToolSpec) -> Value {
    json!({"name": tool.name, "description": tool.description, "input_schema": tool.schema})
}

/// Returns the conversation. A model that binds its thoughts gets none of them while thinking is
/// off or only between tool calls, because the provider then has no setting that drops stale ones.
fn conversation(request: &Request) -> Vec<Message> {
    let is_limited =
        matches!(request.thinking, Some(Thinking::Budget(0) | Thinking::BetweenTools(_)));
    match is_limited && preserved::binds_thoughts(&request.model.name) {
        true => history::readable(&Request { without_thoughts: true, ..request.clone() }),
        false => history::readable(request),
    }
}

/// Returns the fields that control thinking.
fn thinking_fields(
    request: &Request,
    most: u64,
    conversation: &[Message],
) -> Vec<(&'static str, Value)> {
    // Newer models send thoughts without their text unless the request asks for it, and even the
    // text between tool calls is such a thought.
    let mut adaptive = json!({"type": "adaptive", "display": "summarized"});
    if let (true, Some(adaptive)) = (drops_stale(request), adaptive.as_object_mut()) {
        adaptive.insert("block_binding".to_owned(), preserved::drop_stale());
    }
    let effort = |effort: &str| ("output_config", json!({"effort": effort}));
    match &request.thinking {
        // These models think unless the request says otherwise.
        None if drops_stale(request) => vec![("thinking", adaptive)],
        None => Vec::new(),
        Some(Thinking::Effort(level)) => vec![("thinking", adaptive), effort(level)],
        Some(Thinking::BetweenTools(level)) => {
            vec![("thinking", json!({"type": "between_tools"})), effort(level)]
        }
        Some(Thinking::Budget(tokens)) => {
            // Thoughts are part of the answer, so some tokens must be left for the rest.
            let tokens = (*tokens).min(most.saturating_sub(LEAST_BUDGET));
            let thinks = tokens >= LEAST_BUDGET && !begun_by_another_model(conversation);
            let thinking = if thinks {
                json!({"type": "enabled", "budget_tokens": tokens})
            } else {
                json!({"type": "disabled"})
            };
            vec![("thinking", thinking)]
        }
    }
}

/// Returns whether a message of the current turn calls tools but contains no thought that can be
/// sent back, as is the case if another model began the turn. In such a turn, the provider rejects
/// requests that enable thinking.
fn begun_by_another_model(conversation: &[Message]) -> bool {
    let present = conversation.get(history::current_turn(conversation)..).unwrap_or_default();
    let bare = |said: &AssistantMessage| {
        said.calls() && !said.parts.iter().any(|part| thought_block(part).is_some())
    };
    present.iter().any(|message| matches!(message, Message::Assistant(said) if bare(said)))
}

/// Returns the messages. Adjacent messages from tools and from the user become one message, with
/// the tool results first.
fn messages(conversation: &[Message]) -> Vec<Value> {
    let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in conversation {
        let (role, blocks) = match message {
            Message::User(user) => ("user", user.parts.iter().filter_map(part).collect()),
            Message::ToolReply(answer) => ("user", vec![result(answer)]),
            Message::Assistant(said) => {
                ("assistant", said.parts.iter().filter_map(block).collect::<Vec<_>>())
            }
        };
        match messages.last_mut() {
            _ if blocks.is_empty() => {}
            Some((last, so_far)) if *last == role => so_far.extend(blocks),
            _ => messages.push((role, blocks)),
        }
    }
    messages.into_iter().map(|(role, content)| json!({"role": role, "content": content})).collect()
}

fn image(image: &Media) -> Value {
    json!({"type": "image", "source": source(image)})
}

fn source(media: &Media) -> Value {
    json!({"type": "base64", "media_type": media.mime, "data": media.base64})
}

/// Returns a part of a prompt in the provider's format, or `None` for empty text, which the
/// provider rejects.
fn part(part: &Part) -> Option<Value> {
    match part {
        Part::Text(text) if text.is_empty() => None,
        Part::Text(text) => Some(json!({"type": "text", "text": text})),
        Part::Image(picture) => Some(image(picture)),
        Part::Audio(_) => {
            Some(json!({"type": "text", "text": "[a sound that this model cannot hear]"}))
        }
        Part::Document(Document { name, media }) => {
            Some(json!({"type": "document", "title": name, "source": source(media)}))
        }
    }
}

fn result(answer: &ToolReply) -> Value {
    let mut content = Vec::new();
    if !answer.text.is_empty() {
        content.push(json!({"type": "text", "text": answer.text}));
    }
    content.extend(answer.images.iter().map(image));
    let mut result = json!({"type": "tool_result", "tool_use_id": history::plain_id(&answer.call_id, None), "content": content});
    if let (true, Some(result)) = (answer.failed, result.as_object_mut()) {
        result.insert("is_error".to_owned(), json!(true));
    }
    result
}

/// Returns a part of an answer, or `None` for a text of white space only. The provider rejects such
/// a text (status 400), although models write it. Leaving it out changes the conversation, so a
/// bound thought after it is dropped.
fn block(part: &AssistantPart) -> Option<Value> {
    match part {
        AssistantPart::Text { text, .. } if text.trim().is_empty() => None,
        AssistantPart::Text { text, .. } => Some(json!({"type": "text", "text": text})),
        AssistantPart::Thought { .. } => thought_block(part),
        AssistantPart::Call { id, name, arguments, .. } => {
            let (id, input) = (history::plain_id(id, None), history::object(arguments));
            Some(json!({"type": "tool_use", "id": id, "name": name, "input": input}))
        }
    }
}

/// Returns a thought as the provider sent it, or `None` if it cannot be sent back.
fn thought_block(part: &AssistantPart) -> Option<Value> {
    let AssistantPart::Thought { text, sealed: Some(seal) } = part else { return None };
    match (seal.get("signature"), seal.get("redacted")) {
        (Some(signature), _) => {
            Some(json!({"type": "thinking", "thinking": text, "signature": signature}))
        }
        (_, Some(data)) => Some(json!({"type": "redacted_thinking", "data": data})),
        _ => None,
    }
}

/// Marks the ends of the parts that the provider caches: the last user message, so that the next
/// call finds it in the cache, and the user message before it, where the previous call ended. The
/// system prompt has a mark of its own, which also covers the tools, because they come first.
fn mark_for_cache(messages: &mut [Value]) {
    let users = messages
        .iter_mut()
        .rev()
        .filter(|message| message.get("role").is_some_and(|role| role == "user"));
    for message in users.take(2) {
        let blocks = message.get_mut("content").and_then(Value::as_array_mut);
        if let Some(last) =
            blocks.and_then(|blocks| blocks.last_mut()).and_then(Value::as_object_mut)
        {
            last.insert("cache_control".to_owned(), json!({"type": "ephemeral"}));
        }
    }
}

#[cfg(test)]
mod tests;
