//! The differences between servers that use Chat Completions.

use serde::Deserialize;

/// The dialect of a server that uses [`Wire::Chat`](crate::Wire::Chat).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Dialect {
    #[default]
    Plain,
    OpenAi,
    OpenRouter,
    /// DeepSeek, and other servers that want each thought back.
    #[serde(alias = "deepseek")]
    DeepSeek,
    Qwen,
    Moonshot,
    Mistral,
}
