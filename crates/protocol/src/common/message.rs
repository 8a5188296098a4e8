//! The ids of messages.

use crate::wire::declare::wire_id;

wire_id! {
    /// The id of one message of a session.
    pub struct MessageId;
}
