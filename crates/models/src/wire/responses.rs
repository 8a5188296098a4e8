//! Requests in the format of OpenAI Responses. The provider is asked to store nothing, so encrypted
//! thoughts are sent back.

pub(crate) mod stream;
use crate::message::{
    AssistantMessage, AssistantPart, Document, Media, Message, Part, Request, Thinking, ToolReply,
    ToolSpec,
};
use crate::wire::adapter::{Adapter, Decoder};
use crate::wire::chat::dialect::Dialect;
use crate::wire::history;
use serde_json::{Map, Value, json};

/// OpenAI Responses.
#[derive(Debug)]
pub(crate) struct Responses;

impl Adapter for Responses {
    fn url(&self, base: &str, _: &str) -> String {
        format!("{base}/responses")
    }

    fn body(&self, _: Dialect, request: &Request) -> Value {
        body(request)
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::<stream::ResponsesStream>::default()
    }
}

/// Returns the body of a request.
fn body(request: &Request) -> Value {
    let conversation = history::readable(request);
    let input: Vec<Value> = conversation.iter().flat_map(items).collect();
    let mut body = Map::new();
    let mut set = |name: &str, value: Value| drop(body.insert(name.to_owned(), value));
    set("model", json!(request.model.name));
    if !request.system.is_empty() {
        set("instructions", json!(request.system));
    }
    set("input", Value::Array(input));
    set("stream", json!(true));
    set("store", json!(false));
    set("prompt_cache_key", json!(request.session));
    if !request.tools.is_empty() {
        set("tools", request.tools.iter().map(tool).collect());
        set("parallel_tool_calls", json!(true));
    }
    if let Some(most) = request.max_output {
        set("max_output_tokens", json!(most));
    }
    let effort = match &request.thinking {
        Some(Thinking::Effort(effort) | Thinking::BetweenTools(effort)) => Some(effort.as_str()),
        Some(Thinking::Budget(0)) => Some("none"),
        Some(Thinking::Budget(_)) | None => None,
    };
    // Models that cannot think reject both fields.
    if let Some(effort) = effort {
        set("reasoning", json!({"effort": effort, "summary": "auto"}));
        set("include", json!(["reasoning.encrypted_content"]));
    }
    Value::Object(body)
}

fn tool(tool: &ToolSpec) -> Value {
    // A strict schema must require every property, which the schemas of tools need not do.
    json!({
        "type": "function", "name": tool.name, "description": tool.description, "parameters": tool.schema,
        "strict": false,
    })
}

fn items(message: &Message) -> Vec<Value> {
    match message {
        Message::User(user) => {
            let content: Vec<Value> = user.parts.iter().map(part).collect();
            vec![json!({"type": "message", "role": "user", "content": content})]
        }
        Message::Assistant(said) => model(said),
        Message::ToolReply(answer) => vec![output(answer)],
    }
}

fn text(text: &str) -> Value {
    json!({"type": "input_text", "text": text})
}

fn image(image: &Media) -> Value {
    json!({"type": "input_image", "image_url": image.data_url()})
}

fn part(part: &Part) -> Value {
    match part {
        Part::Text(said) => text(said),
        Part::Image(picture) => image(picture),
        Part::Audio(_) => text("[a sound that this model cannot hear]"),
        Part::Document(Document { name, media }) => {
            json!({"type": "input_file", "filename": name, "file_data": media.data_url()})
        }
    }
}

/// Returns the items of an answer in order, because a thought must come before its call.
fn model(said: &AssistantMessage) -> Vec<Value> {
    let item = |part: &AssistantPart| match part {
        AssistantPart::Text { text, sealed } => {
            let content = json!([{"type": "output_text", "text": text}]);
            let mut message = json!({"type": "message", "role": "assistant", "content": content});
            if let (Some(phase), Some(message)) =
                (sealed.as_ref().and_then(|seal| seal.get("phase")), message.as_object_mut())
            {
                message.insert("phase".to_owned(), phase.clone());
            }
            Some(message)
        }
        // A thought that arrived on another wire has no item.
        AssistantPart::Thought { sealed, .. } => sealed.clone().filter(is_item),
        AssistantPart::Call { id, name, arguments, .. } => Some(
            json!({"type": "function_call", "call_id": call_id(id), "name": name, "arguments": arguments}),
        ),
    };
    said.parts.iter().filter_map(item).collect()
}

fn is_item(sealed: &Value) -> bool {
    sealed.get("type").is_some_and(|kind| kind == "reasoning")
}

fn call_id(id: &str) -> String {
    if id.len() <= 64 { id.to_owned() } else { history::plain_id(id, None) }
}

fn output(answer: &ToolReply) -> Value {
    let output = match answer.images.as_slice() {
        [] => json!(answer.text),
        images => [text(&answer.text)].into_iter().chain(images.iter().map(image)).collect(),
    };
    json!({"type": "function_call_output", "call_id": call_id(&answer.call_id), "output": output})
}

#[cfg(test)]
mod tests;
