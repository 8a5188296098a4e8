//! How servers of Chat Completions differ.

use serde::Deserialize;

/// What a provider wants otherwise than the others that speak [`Wire::Chat`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Dialect {
    #[default]
    Plain,
    OpenAi,
    OpenRouter,
    Qwen,
    Moonshot,
    Mistral,
}
