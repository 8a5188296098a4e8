//! What a session keeps in memory, and what of it is stored.

use crate::session::changes::Changes;
use crate::session::choice::Choice;
use crate::conversation::summary::Compacted;
use crate::session::titles::Titles;
use crate::conversation::Conversation;
use crate::models::{Model, TokenUsage};
use crate::conversation::message::Message;
use crate::mcp::Servers;
use crate::session::spending::Spending;
use crate::session::system_prompt::ClientInstructions;
use crate::tools::execute::shell::Shell;
use crate::tools::files::file_access::Fingerprint;
use attache_agent::{Result, Turn};
use attache_policy::{Effect, Folders, Policy, Subject};
use attache_session::Labels;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::PathBuf;

/// What the agent keeps of one session.
#[derive(Debug)]
pub struct Memory {
    pub(crate) conversation: Conversation,
    pub(crate) folders: Folders,
    pub(crate) policy: Policy,
    pub(crate) spending: Spending,
    /// What each file was known by when the model last saw it.
    pub(crate) seen: Seen,
    /// What the tools changed, to be undone.
    pub(crate) changes: Changes,
    pub(crate) titles: Titles,
    /// What the session's metadata says of it.
    pub(crate) labels: Labels,
    /// What the project says about how to work on it.
    pub(crate) instructions: Option<String>,
    /// What the client wants of the agent in this session.
    pub(crate) client_instructions: Option<ClientInstructions>,
    /// The model of which the person was told that nobody knows its window.
    pub(crate) unmeasured: Option<String>,
    /// The MCP servers that the client gave the session.
    pub(crate) mcp: Servers,
    /// What commands run with.
    pub(crate) shell: Shell,
}

/// What files were known by when the model last saw them, by their paths.
pub(crate) type Seen = HashMap<PathBuf, Fingerprint>;

/// What a session remembers when it is loaded, resumed or forked, in the order in which it
/// happened. What the model saw of files is not kept: they may have changed meanwhile.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Record {
    /// A part of the conversation.
    Message(Box<Message>),
    /// A choice for always and whether it allows, as sessions kept it at first.
    Choice(Choice, bool),
    /// A choice for the rest of the session.
    Rule(Subject, Effect),
    /// What a call of a provider's model cost, in US dollars, if anybody knows.
    Cost(Option<f64>),
    /// A summary took the place of the older part of the conversation.
    Compacted(Box<Compacted>),
    /// The conversation was forgotten.
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
