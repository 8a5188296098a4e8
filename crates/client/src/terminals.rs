//! Commands that the agent runs in the terminals of this client or of an editor, and terminals that
//! the agent runs itself.

pub(crate) mod editor_terminals;
pub(crate) mod requests;
pub(crate) mod terminal;
pub(crate) mod terminal_command;
pub(crate) mod terminal_meta;
pub(crate) mod terminal_table;
