//! The acknowledgement of a prompt.

use super::MessageId;
use crate::wire::declare::wire_struct;

wire_struct! {
    /// The prompt is in the conversation. This is not the end of the turn, which
    /// [`StateUpdate`](super::StateUpdate) reports.
    pub struct PromptResponse {
        /// The user's message.
        must message_id: MessageId = "messageId",
    }
}
