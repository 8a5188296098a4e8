//! Commands that the agent runs in this client's terminals, and terminals that the agent runs
//! itself.

pub(crate) mod requests;
pub(crate) mod terminal;
pub(crate) mod terminal_command;
pub(crate) mod terminal_meta;
pub(crate) mod terminal_table;
