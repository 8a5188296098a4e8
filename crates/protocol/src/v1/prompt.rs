//! A turn: its prompt and how it ended (requirements §3.4 and §4.7).

use super::{ContentBlock, SessionId, Usage};
use crate::wire::declare::{wire_string, wire_struct};

wire_struct! {
    /// Params of `session/prompt`: a person's message, which begins a turn.
    pub struct PromptRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// The message. Beyond text and resource links, only kinds that the agent advertised
        /// (PROMPT-02).
        must prompt: Vec<ContentBlock> = "prompt",
    }
}

wire_struct! {
    /// Result of `session/prompt`: the turn ended.
    pub struct PromptResponse {
        /// Why it ended.
        must stop_reason: StopReason = "stopReason",
        /// Tokens by kind; unstable (USE-10).
        lenient usage: Option<Usage> = "usage",
    }
}

wire_string! {
    /// Why a turn ended. Failures are errors, not stop reasons; a reason this version does not know
    /// ends the turn with an error (§4.17).
    pub enum StopReason closed {
        /// The model was done.
        EndTurn = "end_turn",
        /// The model reached its limit of tokens.
        MaxTokens = "max_tokens",
        /// The agent reached its limit of calls to the model in one turn.
        MaxTurnRequests = "max_turn_requests",
        /// The agent declined; the prompt and what followed it are not part of later prompts.
        Refusal = "refusal",
        /// The client cancelled.
        Cancelled = "cancelled",
    }
}
