//! One session of one connection: opening it, its turns, and their shared state.

pub(crate) mod live_session;
pub(crate) mod open_error;
pub(crate) mod opening;
pub(crate) mod outcome;
pub(crate) mod prompt;
pub(crate) mod prompt_echo;
pub(crate) mod prompting;
pub(crate) mod received;
pub(crate) mod session_fold;
mod session_folders;
pub(crate) mod session_handle;
pub(crate) mod session_table;
pub(crate) mod set_error;
pub(crate) mod turn;
pub(crate) mod turn_tracker;
pub(crate) mod watched_session;
