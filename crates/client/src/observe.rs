//! Observing sessions and hubs: what changed since a position.

pub(crate) mod change;
pub(crate) mod watch;
