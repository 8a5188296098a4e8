//! Conversations in the format of Chat Completions.

use crate::message::{AssistantMessage, AssistantPart, Document, Media, Message, Part, ToolReply};
use crate::wire::chat::dialect::Dialect;
use crate::wire::chat::reasoning::{self, Keeps};
use crate::wire::history;
use serde_json::{Map, Value, json};

/// Returns the messages for a conversation that has been repaired for the model. `keeps` says which
/// thoughts are sent back.
pub(crate) fn messages(dialect: Dialect, keeps: Keeps, conversation: &[Message]) -> Vec<Value> {
    let present = history::current_turn(conversation);
    let mut messages = Vec::new();
    // Images from tools come after the replies to all calls, because tool messages can contain only
    // text.
    let mut pictures: Vec<Value> = Vec::new();
    for (at, message) in conversation.iter().enumerate() {
        if !matches!(message, Message::ToolReply(_)) {
            push_pictures(&mut pictures, &mut messages);
        }
        match message {
            Message::User(user) => {
                messages.push(json!({"role": "user", "content": content(&user.parts)}))
            }
            Message::Assistant(said) => {
                let mut message = model(dialect, said);
                reasoning::send_back(said, keeps, at >= present, &mut message);
                messages.push(Value::Object(message));
            }
            Message::ToolReply(answer) => {
                pictures
                    .extend(answer.images.iter().flat_map(|image| picture_of(&answer.name, image)));
                messages.push(tool(dialect, answer));
            }
        }
    }
    push_pictures(&mut pictures, &mut messages);
    messages
}

fn push_pictures(pictures: &mut Vec<Value>, messages: &mut Vec<Value>) {
    if !pictures.is_empty() {
        messages.push(json!({"role": "user", "content": std::mem::take(pictures)}));
    }
}

fn picture_of(tool: &str, image: &Media) -> [Value; 2] {
    [
        json!({"type": "text", "text": format!("A picture that the tool {tool} returned:")}),
        picture(image),
    ]
}

fn picture(image: &Media) -> Value {
    json!({"type": "image_url", "image_url": {"url": image.data_url()}})
}

/// Returns the content of a message. Content that is only text becomes a string, because many
/// servers accept nothing else.
fn content(parts: &[Part]) -> Value {
    let texts: Option<Vec<&str>> = parts
        .iter()
        .map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Image(_) | Part::Audio(_) | Part::Document(_) => None,
        })
        .collect();
    match texts {
        Some(texts) => json!(texts.join("\n")),
        None => parts.iter().map(part).collect(),
    }
}

fn part(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({"type": "text", "text": text}),
        Part::Image(image) => picture(image),
        Part::Audio(audio) => {
            let format = audio.mime.rsplit('/').next().unwrap_or_default().trim_start_matches("x-");
            let format = if format == "mpeg" { "mp3" } else { format };
            json!({"type": "input_audio", "input_audio": {"data": audio.base64, "format": format}})
        }
        Part::Document(Document { name, media }) => {
            json!({"type": "file", "file": {"filename": name, "file_data": media.data_url()}})
        }
    }
}

fn call_id(dialect: Dialect, id: &str) -> String {
    match dialect {
        Dialect::Mistral => history::plain_id(id, Some(9)),
        _ => id.to_owned(),
    }
}

fn tool(dialect: Dialect, answer: &ToolReply) -> Value {
    json!({"role": "tool", "tool_call_id": call_id(dialect, &answer.call_id), "content": answer.text})
}

/// Returns an assistant message without its thoughts.
fn model(dialect: Dialect, said: &AssistantMessage) -> Map<String, Value> {
    let calls: Vec<Value> = said.parts.iter().filter_map(|part| call(dialect, part)).collect();
    let mut message = Map::new();
    message.insert("role".to_owned(), json!("assistant"));
    let text = said.text();
    message.insert(
        "content".to_owned(),
        match text.is_empty() && !calls.is_empty() {
            true => Value::Null,
            false => json!(text),
        },
    );
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), Value::Array(calls));
    }
    message
}

fn call(dialect: Dialect, part: &AssistantPart) -> Option<Value> {
    let AssistantPart::Call { id, name, arguments, sealed } = part else { return None };
    // Servers that render the conversation with a template need the arguments to be a JSON object.
    let arguments = match serde_json::from_str(arguments) {
        Ok(Value::Object(_)) => arguments.clone(),
        _ => Value::Object(history::object(arguments)).to_string(),
    };
    let function = json!({"name": name, "arguments": arguments});
    let mut call = json!({"id": call_id(dialect, id), "type": "function", "function": function});
    if let (Some(extra), Some(call)) = (sealed, call.as_object_mut()) {
        call.insert("extra_content".to_owned(), extra.clone());
    }
    Some(call)
}
