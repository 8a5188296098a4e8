//! Cancels a single call.

use crate::RequestId;
use crate::wire::declare::wire_struct;

wire_struct! {
    /// Params of `$/cancel_request`: the sender no longer needs the result of one of its calls, but
    /// still gets an answer.
    pub struct CancelRequestNotification {
        /// The call's id, compared with its type: `1` is not `"1"`.
        must request_id: RequestId = "requestId",
    }
}
