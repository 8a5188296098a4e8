//! Notes that tell the model the state of its session.
//!
//! The system prompt and the tools before a conversation never change, because providers keep a
//! cache of them and bind thoughts to them. So the state of the session, which changes, is told in
//! the conversation.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A note about the state of the session. It is part of the message before it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct StateNote {
    /// The text for the model. It is stored, so that a loaded session has the same messages.
    pub(crate) text: String,
    /// What the text tells.
    pub(crate) tells: KnownState,
}

/// What a model knows about the state of its session. Missing parts are not known.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct KnownState {
    /// The id of the mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) mode: Option<String>,
    /// The MCP servers, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) servers: BTreeMap<String, KnownServer>,
    /// The instructions that replace those in the system prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) instructions: Option<String>,
}

/// What a model knows about an MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct KnownServer {
    /// The state, such as `ready`.
    pub(crate) state: String,
    /// The server's instructions, as the model got them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) instructions: Option<String>,
}

impl KnownState {
    /// Adds what a later note tells.
    pub(crate) fn learn(&mut self, later: &Self) {
        if later.mode.is_some() {
            self.mode.clone_from(&later.mode);
        }
        for (name, server) in &later.servers {
            self.servers.insert(name.clone(), server.clone());
        }
        if later.instructions.is_some() {
            self.instructions.clone_from(&later.instructions);
        }
    }
}
