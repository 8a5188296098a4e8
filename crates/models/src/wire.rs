//! The wire formats of providers. Each has an [`adapter::Adapter`], which builds requests and reads
//! answers.

pub(crate) mod adapter;
pub(crate) mod answer_format;
pub(crate) mod anthropic;
pub(crate) mod chat;
pub(crate) mod draft;
pub(crate) mod gemini;
pub(crate) mod history;
pub(crate) mod json;
pub(crate) mod responses;
pub(crate) mod surrogates;

use adapter::Adapter;
use serde::Deserialize;

/// The format of a provider's requests and answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wire {
    /// OpenAI Chat Completions, which many other servers also use.
    Chat,
    /// OpenAI Responses.
    Responses,
    /// Anthropic Messages.
    Anthropic,
    /// Gemini's `streamGenerateContent`.
    Gemini,
}

impl Wire {
    /// Returns the adapter for this wire.
    pub(crate) fn adapter(self) -> &'static dyn Adapter {
        match self {
            Self::Chat => &chat::Chat,
            Self::Responses => &responses::Responses,
            Self::Anthropic => &anthropic::Anthropic,
            Self::Gemini => &gemini::Gemini,
        }
    }
}
