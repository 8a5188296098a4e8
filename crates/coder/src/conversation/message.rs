//! One part of a conversation.

use crate::models::{ModelMessage, ModelPart, ToolAnswer};
use crate::conversation::prompt::{MEDIUM, Prompt};
use crate::conversation::stored_call::StoredCall;
use crate::conversation::summary::Summary;
use crate::tools::ToolResult;
use attache_models::estimated_tokens as tokens;
use serde::{Deserialize, Serialize};

/// One part of the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Message {
    /// What a person said; a turn begins.
    Person(Prompt),
    /// What the offline model said.
    Model(String),
    /// A tool that the offline model used, and what came of it.
    Tool(StoredCall, ToolResult),
    /// What a provider's model said, with its thoughts and the tools that it asked for, to be sent
    /// back as it came.
    Said(ModelMessage),
    /// What came of one of these.
    Returned(ToolAnswer),
    /// What the agent itself tells a provider's model, before a prompt or in the middle of a turn.
    Note(String),
    /// What is left of everything before; only ever the first.
    Summary(Summary),
}

impl Message {
    pub(crate) fn tokens(&self) -> u64 {
        match self {
            Self::Person(prompt) => prompt.tokens(),
            Self::Model(text) | Self::Note(text) => tokens(text),
            Self::Tool(call, result) => {
                tokens(&call.arguments().to_string()) + tokens(&result.text)
            }
            Self::Said(said) => said.parts.iter().map(part_tokens).sum(),
            Self::Returned(answer) => tokens(&answer.text) + MEDIUM * answer.images.len() as u64,
            Self::Summary(summary) => tokens(&summary.markdown()),
        }
    }
}

fn part_tokens(part: &ModelPart) -> u64 {
    match part {
        ModelPart::Text { text, .. } | ModelPart::Thought { text, .. } => tokens(text),
        ModelPart::Call { name, arguments, .. } => tokens(name) + tokens(arguments),
    }
}
