//! Cancels a turn or a single call.

use super::SessionId;
use crate::wire::declare::wire_struct;

wire_struct! {
    /// Params of `session/cancel`: the running turn ends with the stop reason `cancelled`.
    pub struct CancelNotification {
        /// The session.
        must session_id: SessionId = "sessionId",
    }
}
