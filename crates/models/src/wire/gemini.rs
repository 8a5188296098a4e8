//! Requests in the format of Gemini.

pub(crate) mod stream;
use crate::message::{
    AssistantMessage, AssistantPart, Document, Media, Message, Part, Request, Thinking, ToolReply,
    ToolSpec,
};
use crate::wire::adapter::{Adapter, Decoder, unversioned};
use crate::wire::chat::dialect::Dialect;
use crate::wire::history;
use serde_json::{Map, Value, json};

/// The beginnings of the names of models before Gemini 3. All other names are taken for newer
/// models.
const OLDER: [&str; 3] = ["gemini-1", "gemini-2", "gemma"];

/// The placeholder for the signature of a call that another model made. Gemini 3 and later reject
/// calls of the current turn that have no signature.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

/// Gemini's `streamGenerateContent`.
#[derive(Debug)]
pub(crate) struct Gemini;

impl Adapter for Gemini {
    fn url(&self, base: &str, model: &str) -> String {
        let (base, model) = (unversioned(base), model.trim_start_matches("models/"));
        format!("{base}/v1beta/models/{model}:streamGenerateContent?alt=sse")
    }

    fn key_header(&self) -> Option<&'static str> {
        Some("x-goog-api-key")
    }

    fn body(&self, _: Dialect, request: &Request) -> Value {
        body(request)
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::<stream::GeminiStream>::default()
    }
}

/// Returns the body of a request.
fn body(request: &Request) -> Value {
    let conversation = history::readable(request);
    let name = request.model.name.rsplit('/').next().unwrap_or_default();
    let is_new = !OLDER.iter().any(|older| name.starts_with(older));
    let mut body = Map::new();
    let mut set = |name: &str, value: Value| drop(body.insert(name.to_owned(), value));
    if !request.system.is_empty() {
        set("systemInstruction", json!({"parts": [{"text": request.system}]}));
    }
    set("contents", Value::Array(contents(&conversation, is_new)));
    if !request.tools.is_empty() {
        let functions: Vec<Value> = request.tools.iter().map(tool).collect();
        set("tools", json!([{"functionDeclarations": functions}]));
    }
    let mut generation = Map::new();
    if let Some(most) = request.max_output {
        generation.insert("maxOutputTokens".to_owned(), json!(most));
    }
    let thinking = request.thinking.as_ref().map(|thinking| match thinking {
        Thinking::Effort(level) | Thinking::BetweenTools(level) => {
            json!({"includeThoughts": true, "thinkingLevel": level})
        }
        Thinking::Budget(0) => json!({"thinkingBudget": 0}),
        Thinking::Budget(tokens) => json!({"includeThoughts": true, "thinkingBudget": tokens}),
    });
    if let Some(thinking) = thinking {
        generation.insert("thinkingConfig".to_owned(), thinking);
    }
    if !generation.is_empty() {
        set("generationConfig", Value::Object(generation));
    }
    Value::Object(body)
}

fn tool(tool: &ToolSpec) -> Value {
    json!({"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.schema})
}

/// Returns the messages. Adjacent messages from tools and from the user become one message.
/// `is_new` tells whether the model is Gemini 3 or later.
fn contents(conversation: &[Message], is_new: bool) -> Vec<Value> {
    let mut contents: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in conversation {
        let (role, parts) = match message {
            Message::User(user) => ("user", user.parts.iter().map(part).collect()),
            Message::ToolReply(answer) => ("user", result(answer, is_new)),
            Message::Assistant(said) => ("model", model(said, is_new)),
        };
        match contents.last_mut() {
            _ if parts.is_empty() => {}
            // Images from a tool come after the results of all calls, because the results must come
            // first.
            Some((last, so_far)) if *last == role => {
                let (results, others): (Vec<_>, Vec<_>) = parts.into_iter().partition(is_result);
                let at = so_far.iter().take_while(|part| is_result(part)).count();
                so_far.splice(at..at, results);
                so_far.extend(others);
            }
            _ => contents.push((role, parts)),
        }
    }
    contents.into_iter().map(|(role, parts)| json!({"role": role, "parts": parts})).collect()
}

fn is_result(part: &Value) -> bool {
    part.get("functionResponse").is_some()
}

fn media(media: &Media) -> Value {
    json!({"inlineData": {"mimeType": media.mime, "data": media.base64}})
}

fn part(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({"text": text}),
        Part::Image(bytes) | Part::Audio(bytes) => media(bytes),
        Part::Document(Document { media: bytes, .. }) => media(bytes),
    }
}

fn result(answer: &ToolReply, is_new: bool) -> Vec<Value> {
    let key = if answer.failed { "error" } else { "output" };
    let response = json!({"name": answer.name, "response": {key: answer.text}});
    [json!({"functionResponse": with_id(response, &answer.call_id, is_new)})]
        .into_iter()
        .chain(answer.images.iter().map(media))
        .collect()
}

/// Adds the id of a call, which servers of models before Gemini 3 reject. Those models match
/// results with calls by name and order.
fn with_id(mut value: Value, id: &str, is_new: bool) -> Value {
    if let (true, Some(value)) = (is_new, value.as_object_mut()) {
        value.insert("id".to_owned(), json!(id));
    }
    value
}

/// Returns the parts of an answer with their signatures. Unsigned thoughts are left out.
fn model(said: &AssistantMessage, is_new: bool) -> Vec<Value> {
    let signed =
        said.parts.iter().any(|part| matches!(part, AssistantPart::Call { sealed: Some(_), .. }));
    // Of several parallel calls, only the first has a signature.
    let mut placeholder = (is_new && !signed).then(|| json!({"thoughtSignature": NO_SIGNATURE}));
    let mut parts = Vec::new();
    for part in &said.parts {
        let (part, seal) = match part {
            AssistantPart::Text { text, sealed } => (json!({"text": text}), sealed.clone()),
            AssistantPart::Thought { sealed: None, .. } => continue,
            AssistantPart::Thought { text, sealed } => {
                (json!({"text": text, "thought": true}), sealed.clone())
            }
            AssistantPart::Call { id, name, arguments, sealed } => {
                let call = json!({"name": name, "args": history::object(arguments)});
                (
                    json!({"functionCall": with_id(call, id, is_new)}),
                    sealed.clone().or_else(|| placeholder.take()),
                )
            }
        };
        parts.push(with_signature(part, seal));
    }
    parts
}

fn with_signature(mut part: Value, seal: Option<Value>) -> Value {
    let signature = seal.and_then(|mut seal| seal.get_mut("thoughtSignature").map(Value::take));
    if let (Some(signature), Some(part)) = (signature, part.as_object_mut()) {
        part.insert("thoughtSignature".to_owned(), signature);
    }
    part
}

#[cfg(test)]
mod tests;
