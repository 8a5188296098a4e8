//! The prompt and the stop reason of a turn.

use super::Usage;
use crate::wire::declare::{wire_string, wire_struct};

wire_struct! {
    /// Result of `session/prompt`: the turn ended.
    pub struct PromptResponse {
        /// Why it ended.
        must stop_reason: StopReason = "stopReason",
        /// Tokens by kind; unstable.
        lenient usage: Option<Usage> = "usage",
    }
}

wire_string! {
    /// Why a turn ended. Failures are errors, not stop reasons. A reason that this version does not
    /// know ends the turn with an error.
    pub enum StopReason closed {
        /// The model finished.
        EndTurn = "end_turn",
        /// The model reached its limit of tokens.
        MaxTokens = "max_tokens",
        /// The agent reached its limit of calls to the model in one turn.
        MaxTurnRequests = "max_turn_requests",
        /// The agent refused. The prompt and the messages after it are not sent to the model again.
        Refusal = "refusal",
        /// The client cancelled.
        Cancelled = "cancelled",
    }
}
