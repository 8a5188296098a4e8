//! The prompt of a turn.

use super::{ContentBlock, SessionId};
use crate::wire::declare::wire_struct;

wire_struct! {
    /// Params of `session/prompt`: a user's message. In version 1, it begins a turn.
    pub struct PromptRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// The message: text, resource links, and other kinds that the agent advertised.
        must prompt: Vec<ContentBlock> = "prompt",
    }
}
