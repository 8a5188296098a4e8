//! Messages of the user and the agent, whole or in chunks.

use super::{ContentBlock, MessageId};
use crate::wire::declare::wire_struct;
use crate::{Meta, Patch};

wire_struct! {
    /// One block that is appended to a message.
    pub struct ContentChunk {
        /// The message.
        must message_id: MessageId = "messageId",
        /// The block.
        must content: ContentBlock = "content",
    }
}

/// Declares the three updates that create or replace a whole message.
macro_rules! whole_messages {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        wire_struct! {
            $(#[$doc])*
            pub plain struct $name {
                /// The message.
                must message_id: MessageId = "messageId",
                /// Its new content. Malformed blocks are skipped.
                patch_items content: Patch<Vec<ContentBlock>> = "content",
                /// Its metadata, changed by top-level key.
                patch meta: Patch<Meta> = "_meta",
            }
        }
    )*};
}

whole_messages! {
    /// A message of the user begins or changes.
    UserMessage;
    /// A message of the agent begins or changes.
    AgentMessage;
    /// A thought of the agent begins or changes.
    AgentThought;
}
