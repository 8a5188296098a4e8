//! The state of a session, and its part of the system prompt.

pub(crate) mod changes;
pub(crate) mod choice;
pub(crate) mod instructions;
pub(crate) mod memory;
pub(crate) mod options;
pub(crate) mod spending;
pub(crate) mod state;
pub(crate) mod system_prompt;
pub(crate) mod titles;
