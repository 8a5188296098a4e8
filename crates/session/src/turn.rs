//! Whether a turn is running.

use crate::Timestamp;

/// Whether a turn is running; how the last one ended is [`crate::Session::last_outcome`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnState {
    /// None is.
    Idle,
    /// One is.
    Running {
        /// When it began.
        since: Timestamp,
    },
}
