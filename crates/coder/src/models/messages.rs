//! Converts the conversation to the format of a provider's model.

use super::{AssistantMessage, AssistantPart, Brief, LeftOut, Model, Part, ToolReply};
use crate::conversation::Conversation;
use crate::conversation::message::Message as ConversationMessage;
use crate::conversation::note_token::NoteToken;
use crate::conversation::prompt::{MentionedFile, Prompt};
use crate::conversation::stored_call::StoredCall;
use crate::tools::ToolResult;
use attache_models::{
    AttachedFile, Message, ModelId, ModelInput, UserMessage, UserPrompt, fit_media,
};

/// Returns the input for a call to `model`.
pub(crate) fn input(model: &dyn Model, conversation: &Conversation, brief: Brief) -> ModelInput {
    checked_input(model, conversation, brief).0
}

/// Returns the input for a call to `model`, and the media of the conversation that the model's
/// provider would refuse. The input contains a text in their place.
pub(crate) fn checked_input(
    model: &dyn Model,
    conversation: &Conversation,
    brief: Brief,
) -> (ModelInput, Vec<LeftOut>) {
    let tokens = conversation.tokens();
    let mut messages = messages(model, conversation);
    let left_out = fit_media(model, &mut messages);
    (ModelInput { brief, messages, tokens }, left_out)
}

/// Returns the messages of the conversation.
fn messages(model: &dyn Model, conversation: &Conversation) -> Vec<Message> {
    let mut messages = Vec::new();
    let token = &conversation.token;
    // The summary is part of the next prompt, because some models do not accept two user messages
    // in a row.
    let mut summary = None;
    for (index, message) in conversation.messages().iter().enumerate() {
        let before = messages.len();
        match message {
            ConversationMessage::Summary(left) => summary = Some(Part::Text(left.for_model())),
            ConversationMessage::User(prompt) => {
                let parts = summary.take().into_iter().chain(parts(prompt)).collect();
                let prompt = model.reads_data().then(|| user_prompt(prompt));
                messages.push(Message::User(UserMessage { parts, prompt }));
            }
            ConversationMessage::OfflineText(text) => {
                messages.push(offline(AssistantPart::Text { text: text.clone(), sealed: None }));
            }
            // The calls that show a plan are left out, because they mean nothing to another model.
            ConversationMessage::OfflineCall(call, _) if call.is_plan() => {}
            ConversationMessage::OfflineCall(call, result) => {
                messages.extend(offline_tool(&format!("offline_{index}"), call, result));
            }
            ConversationMessage::Assistant(said) => messages.push(Message::Assistant(said.clone())),
            ConversationMessage::ToolReply(answer) => {
                messages.push(Message::ToolReply(answer.clone()));
            }
            ConversationMessage::Note(text) => {
                messages.push(Message::user(vec![Part::Text(text.clone())]))
            }
            // The offline model knows the state itself.
            ConversationMessage::State(_) if model.reads_data() => {}
            ConversationMessage::State(note) => {
                append(&mut messages, &token.note(&note.text));
                continue;
            }
        }
        // The offline model does not read notes.
        if !model.reads_data() {
            messages.iter_mut().skip(before).for_each(|message| clean(token, message));
        }
    }
    messages
}

/// Removes the token of the notes from a text that comes from outside.
fn clean(token: &NoteToken, message: &mut Message) {
    match message {
        Message::User(message) => token.clean_parts(&mut message.parts),
        Message::ToolReply(reply) => reply.text = token.cleaned(&reply.text),
        // The model's own words.
        Message::Assistant(_) => {}
    }
}

/// Appends a note to the last message, because some models do not accept a user message after a
/// tool's result, or two in a row.
fn append(messages: &mut Vec<Message>, note: &str) {
    match messages.last_mut() {
        Some(Message::User(message)) => message.parts.push(Part::Text(note.to_owned())),
        Some(Message::ToolReply(reply)) => reply.text.push_str(&format!("\n\n{note}")),
        Some(Message::Assistant(_)) | None => {
            messages.push(Message::user(vec![Part::Text(note.to_owned())]));
        }
    }
}

/// The parts of a prompt: the text, with file names in place of files, then the texts of the files,
/// then images and other media.
fn parts(prompt: &Prompt) -> Vec<Part> {
    let mut parts = Vec::new();
    if !prompt.with_paths.trim().is_empty() {
        parts.push(Part::Text(prompt.with_paths.clone()));
    }
    for file in &prompt.files {
        if let Some(text) = &file.text {
            parts.push(Part::Text(format!("<file path={:?}>\n{text}\n</file>", file.path)));
        }
    }
    parts.extend(prompt.media.iter().cloned());
    parts
}

fn user_prompt(prompt: &Prompt) -> UserPrompt {
    let file =
        |file: &MentionedFile| AttachedFile { path: file.path.clone(), text: file.text.clone() };
    UserPrompt {
        text: prompt.text.clone(),
        with_paths: prompt.with_paths.clone(),
        files: prompt.files.iter().map(file).collect(),
    }
}

/// The reply to a tool call, for a model that reads structured data or for one that reads only
/// text.
pub(crate) fn reply(
    with_data: bool,
    call_id: String,
    name: String,
    result: ToolResult,
) -> ToolReply {
    let data = with_data.then(|| serde_json::to_value(&result.finding).ok()).flatten();
    let ToolResult { text, failed, images, .. } = result;
    ToolReply { call_id, name, text, images, failed, data }
}

/// The text of the offline model.
fn offline(part: AssistantPart) -> Message {
    Message::Assistant(AssistantMessage {
        model: ModelId::new("attache", "offline"),
        parts: vec![part],
    })
}

/// A tool call of the offline model.
fn offline_tool(id: &str, call: &StoredCall, result: &ToolResult) -> [Message; 2] {
    let (id, name) = (id.to_owned(), call.name());
    let arguments = call.arguments().to_string();
    let answer = ToolReply {
        call_id: id.clone(),
        name: name.clone(),
        text: result.text.clone(),
        images: Vec::new(),
        failed: result.failed,
        data: serde_json::to_value(&result.finding).ok(),
    };
    [offline(AssistantPart::Call { id, name, arguments, sealed: None }), Message::ToolReply(answer)]
}
