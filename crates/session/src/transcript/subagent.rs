//! Child sessions, and messages between sessions, as the transcript of a session shows them.

use super::block::Block;
use attache_protocol::Meta;
use attache_protocol::v1::{MessageId, SessionId, StateUpdate, SubagentSessionCapabilities};

/// A child session as its parent announces it. What the child says and does is a session of its
/// own.
#[derive(Debug, Clone, PartialEq)]
pub struct Subagent {
    /// The child.
    pub session_id: SessionId,
    /// Its title.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// All that may be done to it; `None` is nothing (SUB-02).
    pub capabilities: Option<SubagentSessionCapabilities>,
    /// What it does now; `None` is not known, which is not idle.
    pub state: Option<StateUpdate>,
    /// Where it works; `None` is where its parent does.
    pub cwd: Option<String>,
    /// Its further roots; `None` are those of its parent.
    pub additional_directories: Option<Vec<String>>,
    /// Data of extensions.
    pub meta: Option<Meta>,
}

/// A message between sessions. Any of its fields may come late.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageBetweenSessions {
    /// Which message.
    pub id: MessageId,
    /// The session that sent it.
    pub sender_session_id: Option<SessionId>,
    /// The session that got it.
    pub recipient_session_id: Option<SessionId>,
    /// The same message in the sender's transcript.
    pub sender_message_id: Option<MessageId>,
    /// The same message in the recipient's transcript.
    pub recipient_message_id: Option<MessageId>,
    /// What it says.
    pub blocks: Vec<Block>,
    /// Data of extensions.
    pub meta: Option<Meta>,
}
