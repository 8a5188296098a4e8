//! Commands that the agent runs in terminals of this client, and terminals that it runs itself.

pub(crate) mod requests;
pub(crate) mod terminal;
pub(crate) mod terminal_command;
pub(crate) mod terminal_meta;
pub(crate) mod terminal_table;
