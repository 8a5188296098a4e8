//! The memory of a session, and the records that are stored.

use crate::conversation::Conversation;
use crate::conversation::message::Message;
use crate::conversation::summary::Compacted;
use crate::mcp::Servers;
use crate::models::{Model, TokenUsage};
use crate::session::changes::Changes;
use crate::session::choice::Choice;
use crate::session::spending::Spending;
use crate::session::system_prompt::ClientInstructions;
use crate::session::titles::Titles;
use crate::tools::execute::shell::Shell;
use crate::tools::files::file_access::Fingerprint;
use attache_agent::{Result, Turn};
use attache_policy::{Effect, Folders, Policy, Subject};
use attache_session::Labels;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::PathBuf;

/// The state that the agent keeps of one session.
#[derive(Debug)]
pub struct Memory {
    pub(crate) conversation: Conversation,
    pub(crate) folders: Folders,
    pub(crate) policy: Policy,
    pub(crate) spending: Spending,
    /// The fingerprint of each file when the model last saw it.
    pub(crate) seen: Seen,
    /// The changes of the tools, for `/undo`.
    pub(crate) changes: Changes,
    pub(crate) titles: Titles,
    /// The labels in the session's metadata.
    pub(crate) labels: Labels,
    /// The project's instructions.
    pub(crate) instructions: Option<String>,
    /// The client's instructions for this session.
    pub(crate) client_instructions: Option<ClientInstructions>,
    /// The last model for which the person read that its context window is unknown.
    pub(crate) unmeasured: Option<String>,
    /// The MCP servers that the client gave the session.
    pub(crate) mcp: Servers,
    /// The sandbox, temporary files and background commands.
    pub(crate) shell: Shell,
}

/// The fingerprints of files when the model last saw them, by their paths.
pub(crate) type Seen = HashMap<PathBuf, Fingerprint>;

/// A record that a session reads when it is loaded, resumed or forked, in the order in which it
/// happened. What the model saw of files is not kept: they may have changed meanwhile.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Record {
    /// A part of the conversation.
    Message(Box<Message>),
    /// A choice for always and whether it allows, as sessions kept it at first.
    Choice(Choice, bool),
    /// A choice for the rest of the session.
    Rule(Subject, Effect),
    /// The cost of a call of a model, in US dollars, where the price is known.
    Cost(Option<f64>),
    /// A summary took the place of the older part of the conversation.
    Compacted(Box<Compacted>),
    /// The conversation was cleared.
    Cleared,
}

impl Memory {
    /// Counts what a call of a model took and cost, here and in the store.
    pub(crate) async fn charge(
        &mut self,
        turn: &Turn,
        model: &dyn Model,
        usage: &TokenUsage,
    ) -> Result<()> {
        let cost = model.cost(usage).filter(|_| usage.total() > 0);
        turn.remember(&Record::Cost(cost)).await?;
        self.spending.add(cost);
        self.spending.count(usage);
        Ok(())
    }
}
