//! The format in which a provider tells about its models.

use crate::provider::Provider;
use crate::wire::Wire;
use crate::wire::chat::dialect::Dialect;

/// The format in which a provider tells about its models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListFormat {
    Anthropic,
    Gemini,
    OpenRouter,
    /// A list in the format of OpenAI. Each server has its own name for the window.
    Compatible,
}

impl ListFormat {
    /// Returns the format of this provider.
    pub(crate) fn of(provider: &Provider) -> Self {
        match (provider.wire, provider.dialect) {
            (Wire::Anthropic, _) => Self::Anthropic,
            (Wire::Gemini, _) => Self::Gemini,
            (Wire::Chat, Dialect::OpenRouter) => Self::OpenRouter,
            (Wire::Chat | Wire::Responses, _) => Self::Compatible,
        }
    }
}
