//! The state of one session, and the part of it that is stored.

use crate::changes::Changes;
use crate::choice::Choice;
use crate::context::{Compacted, Titles};
use crate::conversation::{Conversation, Message};
use crate::mcp::Servers;
use crate::spending::Spending;
use crate::system_prompt::ClientInstructions;
use crate::tools::execute::shell::Shell;
use crate::tools::file_access::Fingerprint;
use attache_policy::{Effect, Folders, Policy, Subject};
use attache_session::Labels;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::PathBuf;

/// The state of one session.
#[derive(Debug)]
pub struct Memory {
    pub(crate) conversation: Conversation,
    pub(crate) folders: Folders,
    pub(crate) policy: Policy,
    pub(crate) spending: Spending,
    /// The files that the model saw, as they were then.
    pub(crate) seen: Seen,
    /// The changes of the tools, for `/undo`.
    pub(crate) changes: Changes,
    pub(crate) titles: Titles,
    /// The labels in the session's metadata.
    pub(crate) labels: Labels,
    /// The project's instructions for agents.
    pub(crate) instructions: Option<String>,
    /// The client's instructions for this session.
    pub(crate) client_instructions: Option<ClientInstructions>,
    /// The model whose context window the agent has reported as unknown.
    pub(crate) unmeasured: Option<String>,
    /// The MCP servers that the client named.
    pub(crate) mcp: Servers,
    /// What the session runs commands with.
    pub(crate) shell: Shell,
}

/// Files by path, as they were when the model last saw them.
pub(crate) type Seen = HashMap<PathBuf, Fingerprint>;

/// A stored record of a session, in the order of events. Loading, resuming and forking read them.
/// [`Memory::seen`] is not stored, because files may change in the meantime.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Record {
    /// A part of the conversation.
    Message(Box<Message>),
    /// A permanent choice and whether it allows; written by old versions only.
    Choice(Choice, bool),
    /// A choice for the rest of the session.
    Rule(Subject, Effect),
    /// The cost of one call of a provider's model in US dollars, if known.
    Cost(Option<f64>),
    /// A summary replaced the older part of the conversation.
    Compacted(Box<Compacted>),
    /// The conversation was cleared.
    Cleared,
}
