//! One open session: its state, its updates, and their order.

pub(crate) mod accepted_prompt;
pub(crate) mod client_update;
pub(crate) mod config_options;
pub(crate) mod deferring_mutex;
mod info_pace;
mod info_sender;
pub(crate) mod null_log;
pub(crate) mod open_session;
mod outgoing_order;
pub(crate) mod outgoing_slot;
pub(crate) mod running_turn;
pub(crate) mod session_handle;
mod signals;
pub(crate) mod state;
pub(crate) mod statement;
pub(crate) mod terminal_releaser;
pub(crate) mod turn_end;
