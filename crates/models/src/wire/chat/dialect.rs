//! The differences between servers of Chat Completions.

use serde::Deserialize;

/// The dialect of a server of [`Wire::Chat`](crate::Wire::Chat).
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
