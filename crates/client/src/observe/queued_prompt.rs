//! A prompt that waits for its turn, and why the queue may be held.

use super::wire;
use crate::session::prompt::Prompt;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Identifies a waiting prompt of one session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct QueuedPromptId(pub u64);

/// A prompt that waits for its turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueuedPrompt {
    /// The id of the prompt in the queue of its session.
    pub id: QueuedPromptId,
    /// The content to send.
    #[serde(with = "wire::prompt")]
    pub prompt: Prompt,
}

/// Why waiting prompts are not sent, even though no turn is running. [`crate::HubSession::send`]
/// with another prompt, or [`crate::HubSession::release`], resumes the queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum HoldReason {
    /// The person cancelled the previous turn.
    Cancelled,
    /// The previous turn failed.
    TurnFailed,
    /// The session's budget is used up.
    Budget,
    /// The first prompt cannot be sent, for this reason. Edit or remove it.
    Refused(String),
    /// An earlier run left the prompts in the store.
    Restored,
}

impl fmt::Display for HoldReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled => f.write_str("the turn before was cancelled"),
            Self::TurnFailed => f.write_str("the turn before failed"),
            Self::Budget => f.write_str("the budget is used up"),
            Self::Refused(why) => f.write_str(why),
            Self::Restored => f.write_str("an earlier run left them"),
        }
    }
}
