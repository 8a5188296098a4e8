//! The state of the current turn.

use crate::Timestamp;

/// Whether a turn is running. [`crate::Session::last_outcome`] says how the last one ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnState {
    /// No turn is running.
    Idle,
    /// A turn is running.
    Running {
        /// When it started.
        since: Timestamp,
    },
}
