//! Observation of sessions and hubs: the changes since a position.

pub(crate) mod change;
pub(crate) mod checkpoint_change;
pub(crate) mod queued_prompt;
pub(crate) mod session_changes;
pub(crate) mod session_state;
pub(crate) mod session_status;
pub(crate) mod watch;
pub(crate) mod watch_position;
mod wire;
