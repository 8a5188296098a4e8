//! The conversation as a provider's model reads it.

use super::{ModelMessage, ModelPart, Part, ToolAnswer};
use crate::conversation::{self, Conversation, Prompt};
use crate::tools::{Action, ToolResult};
use attache_models::{Message, ModelId};

/// The messages of the conversation; parts of prompts that the model does not take are named
/// instead.
pub(super) fn messages(conversation: &Conversation, takes: impl Fn(&Part) -> bool) -> Vec<Message> {
    let mut messages = Vec::new();
    // It stands in the prompt behind it: two messages of a person in a row are more than some
    // models take.
    let mut summary = None;
    for (index, message) in conversation.messages().iter().enumerate() {
        match message {
            conversation::Message::Summary(left) => summary = Some(Part::Text(left.for_model())),
            conversation::Message::Person(prompt) => {
                let parts = summary.take().into_iter().chain(person(prompt, &takes));
                messages.push(Message::Person(parts.collect()));
            }
            conversation::Message::Model(text) => {
                messages.push(offline(ModelPart::Text { text: text.clone(), sealed: None }));
            }
            // A plan alone says nothing to another model.
            conversation::Message::Tool(Action::Plan(_), _) => {}
            conversation::Message::Tool(action, result) => {
                messages.extend(offline_tool(&format!("offline_{index}"), action, result));
            }
            conversation::Message::Said(said) => messages.push(Message::Model(said.clone())),
            conversation::Message::Returned(answer) => {
                messages.push(Message::Tool(returned(answer, &takes)));
            }
            conversation::Message::Note(text) => {
                messages.push(Message::Person(vec![Part::Text(text.clone())]))
            }
        }
    }
    messages
}

/// What a person said: the words with the names of files in their places, then what the files hold,
/// then pictures and the like.
fn person(prompt: &Prompt, takes: &impl Fn(&Part) -> bool) -> Vec<Part> {
    let mut parts = Vec::new();
    if !prompt.with_paths.trim().is_empty() {
        parts.push(Part::Text(prompt.with_paths.clone()));
    }
    for file in &prompt.files {
        if let Some(text) = &file.text {
            parts.push(Part::Text(format!("<file path={:?}>\n{text}\n</file>", file.path)));
        }
    }
    for part in &prompt.media {
        parts.push(match takes(part) {
            true => part.clone(),
            false => Part::Text(format!("[{} that you cannot take]", conversation::kind(part))),
        });
    }
    parts
}

/// What a tool returned; a model that was chosen later may not take the pictures.
fn returned(answer: &ToolAnswer, takes: &impl Fn(&Part) -> bool) -> ToolAnswer {
    let mut answer = answer.clone();
    let pictures = answer.images.len();
    answer.images.retain(|image| takes(&Part::Image(image.clone())));
    if answer.images.len() < pictures {
        answer.text.push_str("\n[with a picture that you cannot take]");
    }
    answer
}

/// What the offline model said.
fn offline(part: ModelPart) -> Message {
    Message::Model(ModelMessage { model: ModelId::new("attache", "offline"), parts: vec![part] })
}

/// A tool that the offline model used.
fn offline_tool(id: &str, action: &Action, result: &ToolResult) -> [Message; 2] {
    let (id, name) = (id.to_owned(), action.name().to_owned());
    let arguments = action.raw_input().to_string();
    let answer = ToolAnswer {
        call_id: id.clone(),
        name: name.clone(),
        text: result.text.clone(),
        images: Vec::new(),
        failed: result.failed,
    };
    [offline(ModelPart::Call { id, name, arguments, sealed: None }), Message::Tool(answer)]
}
