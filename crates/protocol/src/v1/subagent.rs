//! Subagents: child sessions that the agent runs in addition to the client's session. Unstable;
//! only with `clientCapabilities.subagents`.

use super::{ContentBlock, MessageId, SessionId, Usage};
use crate::wire::declare::{wire_struct, wire_union};
use crate::{Error, Meta, Patch};

wire_struct! {
    /// A patch of a child session. The first patch announces the child, on the session of its
    /// direct parent, before all other updates about it.
    pub plain struct SubagentUpdate {
        /// The child.
        must session_id: SessionId = "sessionId",
        /// Its title.
        patch title: Patch<String> = "title",
        /// Its purpose.
        patch description: Patch<String> = "description",
        /// The allowed operations. If this is cleared or was never set, none are allowed.
        patch capabilities: Patch<SubagentSessionCapabilities> = "capabilities",
        /// Its state. If it is cleared, the state is unconfirmed, not idle.
        patch state: Patch<StateUpdate> = "state",
        /// Its working directory, absolute; cleared means that of its parent.
        patch_strict cwd: Patch<String> = "cwd",
        /// Its additional directories, absolute; cleared means those of its parent, and an empty
        /// list means none.
        patch_strict additional_directories: Patch<Vec<String>> = "additionalDirectories",
        /// Extension data, patched as a whole.
        patch meta: Patch<Meta> = "_meta",
    }
}

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
    /// The state of a child: a whole snapshot, not a patch.
    pub enum StateUpdate by "state" open {
        /// It is working.
        Running(RunningStateUpdate) = "running",
        /// It is waiting for a prompt.
        Idle(IdleStateUpdate) = "idle",
        /// It is waiting for the user to act.
        RequiresAction(RequiresActionStateUpdate) = "requires_action",
        /// The agent does not know the state, so an earlier state is no longer confirmed. On the
        /// wire this is `unknown`. A state that this version does not know is
        /// [`StateUpdate::Unknown`].
        Unconfirmed(UnknownStateUpdate) = "unknown",
    }
}

wire_struct! {
    /// The child is working.
    pub struct RunningStateUpdate {
    }
}

wire_struct! {
    /// The child is waiting for a prompt.
    pub struct IdleStateUpdate {
        /// Why it stopped. A malformed value counts as not reported.
        flat_lenient stop_reason: Option<IdleStopReason> = "stopReason",
        /// Its token usage.
        lenient usage: Option<Usage> = "usage",
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
    /// The child is waiting for the user to act.
    pub struct RequiresActionStateUpdate {
    }
}

wire_struct! {
    /// The child's state is unknown.
    pub struct UnknownStateUpdate {
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
        /// Extension data, patched as a whole.
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
