//! Child sessions and messages between sessions.

use super::block::Block;
use attache_protocol::Meta;
use attache_protocol::v1::{MessageId, SessionId, StateUpdate, SubagentSessionCapabilities};

/// A child session as its parent announces it. The messages and tool calls of the child are in its
/// own session.
#[derive(Debug, Clone, PartialEq)]
pub struct Subagent {
    /// The id of the child session.
    pub session_id: SessionId,
    /// The title of the child session.
    pub title: Option<String>,
    /// The purpose of the child session.
    pub description: Option<String>,
    /// The allowed operations. `None` means that none are allowed.
    pub capabilities: Option<SubagentSessionCapabilities>,
    /// The state of the child session. `None` means unknown.
    pub state: Option<StateUpdate>,
    /// The working directory of the child session. `None` means that of its parent.
    pub cwd: Option<String>,
    /// The additional directories of the child session. `None` means those of its parent.
    pub additional_directories: Option<Vec<String>>,
    /// Extension data.
    pub meta: Option<Meta>,
}

/// A message between sessions. Any of its fields may arrive late.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageBetweenSessions {
    /// The id of the message.
    pub id: MessageId,
    /// The session that sent it.
    pub sender_session_id: Option<SessionId>,
    /// The session that received it.
    pub recipient_session_id: Option<SessionId>,
    /// The same message in the sender's transcript.
    pub sender_message_id: Option<MessageId>,
    /// The same message in the recipient's transcript.
    pub recipient_message_id: Option<MessageId>,
    /// The content of the message.
    pub blocks: Vec<Block>,
    /// Extension data.
    pub meta: Option<Meta>,
}
