//! Commands that the agent runs in terminals of this client, and terminals of the agent itself.

pub(crate) mod requests;
pub(crate) mod terminal;
pub(crate) mod terminal_command;
pub(crate) mod terminal_meta;
pub(crate) mod terminal_table;
