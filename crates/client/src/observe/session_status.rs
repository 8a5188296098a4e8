//! The state that a hub keeps for a session in addition to its transcript.

use super::queued_prompt::{HoldReason, QueuedPrompt};
use super::session_state::SessionState;
use serde::{Deserialize, Serialize};

/// Identifies a question of one session or agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct QuestionId(pub u64);

/// The state that a hub keeps for a session in addition to its transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionStatus {
    /// The state of the session.
    pub state: SessionState,
    /// The prompts that wait for their turn, in order.
    pub queue: Vec<QueuedPrompt>,
    /// Why the queue is held; `None` if it is not, or if no prompt waits.
    pub hold: Option<HoldReason>,
    /// The open questions, in the order in which they were asked.
    pub questions: Vec<QuestionId>,
    /// Text that the person has written and not sent.
    pub draft: String,
}
