//! Parts of updates about subagents, and why a session became idle. Subagents are child sessions
//! that the agent runs in addition to the client's session; unstable.

use super::{ContentBlock, MessageId, SessionId};
use crate::wire::declare::{wire_struct, wire_union};
use crate::{Error, Meta, Patch};

wire_struct! {
    /// Operations on a child.
    pub struct SubagentSessionCapabilities {
        /// `session/cancel`.
        lenient cancel: Option<SessionCancelCapabilities> = "cancel",
    }
}

wire_struct! {
    /// The child can be cancelled.
    pub struct SessionCancelCapabilities {
    }
}

wire_union! {
    /// Why a child stopped: the stop reasons of a turn, and `error`. Unknown ones are kept.
    pub enum IdleStopReason by "stopReason" open {
        /// The model finished.
        EndTurn = "end_turn",
        /// The limit of tokens was reached.
        MaxTokens = "max_tokens",
        /// The limit of model requests was reached.
        MaxTurnRequests = "max_turn_requests",
        /// The model refused.
        Refusal = "refusal",
        /// It was cancelled.
        Cancelled = "cancelled",
        /// It failed.
        Error(ErrorStopReason) = "error",
    }
}

wire_struct! {
    /// The failure of a child.
    pub plain struct ErrorStopReason {
        /// The error.
        lenient error: Option<Error> = "error",
    }
}

wire_struct! {
    /// A message between sessions, as an entry in the transcript of the session whose update
    /// contains it. Its fields may arrive late.
    pub plain struct SessionMessage {
        /// The id of the message.
        must message_id: MessageId = "messageId",
        /// The session that sent it.
        patch sender_session_id: Patch<SessionId> = "senderSessionId",
        /// The session that received it.
        patch recipient_session_id: Patch<SessionId> = "recipientSessionId",
        /// The same message in the sender's transcript.
        patch sender_message_id: Patch<MessageId> = "senderMessageId",
        /// The same message in the recipient's transcript.
        patch recipient_message_id: Patch<MessageId> = "recipientMessageId",
        /// The whole new content. An empty list also clears it.
        patch_items content: Patch<Vec<ContentBlock>> = "content",
        /// Extension data: replaced in version 1, patched by top-level key in version 2.
        patch meta: Patch<Meta> = "_meta",
    }
}

wire_struct! {
    /// A chunk to append to a message between sessions. Only [`SessionMessage`] names the sender
    /// and the recipient.
    pub struct SessionMessageChunk {
        /// The id of the message.
        must message_id: MessageId = "messageId",
        /// The chunk.
        must content: ContentBlock = "content",
    }
}
