//! One part of a conversation.

use crate::conversation::prompt::{MEDIUM, Prompt, dropped};
use crate::conversation::state_note::StateNote;
use crate::conversation::stored_call::StoredCall;
use crate::conversation::summary::Summary;
use crate::models::{AssistantMessage, AssistantPart, Media, ToolReply};
use crate::tools::ToolResult;
use attache_models::estimated_tokens as tokens;
use serde::{Deserialize, Serialize};

/// One part of the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Message {
    /// A prompt of the user, which begins a turn.
    #[serde(rename = "Person")]
    User(Prompt),
    /// Text of the offline model, in older sessions.
    #[serde(rename = "Model")]
    OfflineText(String),
    /// A tool call of the offline model, with its result, in older sessions.
    #[serde(rename = "Tool")]
    OfflineCall(StoredCall, ToolResult),
    /// A model's message, with its thoughts and tool calls. It is sent back to the model unchanged.
    #[serde(rename = "Said")]
    Assistant(AssistantMessage),
    /// The reply to one tool call.
    #[serde(rename = "Returned")]
    ToolReply(ToolReply),
    /// A note from the agent to the model, before a prompt or in the middle of a turn.
    Note(String),
    /// A note about the state of the session, which continues the message before it.
    State(StateNote),
    /// The summary of all earlier messages. It is always the first message.
    Summary(Summary),
}

impl Message {
    /// Replaces all media with the reason why they were dropped. Returns their descriptions.
    pub(crate) fn drop_media(&mut self, why: &str) -> Vec<String> {
        match self {
            Self::User(prompt) => prompt.drop_media(why),
            Self::ToolReply(answer) => {
                let images = std::mem::take(&mut answer.images);
                let drop = |image: Media| {
                    let (text, piece) = dropped("an image", image.name.as_deref(), why);
                    answer.text.push('\n');
                    answer.text.push_str(&text);
                    piece
                };
                images.into_iter().map(drop).collect()
            }
            Self::OfflineText(_)
            | Self::OfflineCall(..)
            | Self::Assistant(_)
            | Self::Note(_)
            | Self::State(_)
            | Self::Summary(_) => Vec::new(),
        }
    }

    pub(crate) fn tokens(&self) -> u64 {
        match self {
            Self::User(prompt) => prompt.tokens(),
            Self::OfflineText(text) | Self::Note(text) => tokens(text),
            Self::State(note) => tokens(&note.text),
            Self::OfflineCall(call, result) => {
                tokens(&call.arguments().to_string()) + tokens(&result.text)
            }
            Self::Assistant(said) => said.parts.iter().map(part_tokens).sum(),
            Self::ToolReply(answer) => tokens(&answer.text) + MEDIUM * answer.images.len() as u64,
            Self::Summary(summary) => tokens(&summary.markdown()),
        }
    }
}

fn part_tokens(part: &AssistantPart) -> u64 {
    match part {
        AssistantPart::Text { text, .. } | AssistantPart::Thought { text, .. } => tokens(text),
        AssistantPart::Call { name, arguments, .. } => tokens(name) + tokens(arguments),
    }
}
