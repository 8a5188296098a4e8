//! Why something about checkpoints failed.

use attache_checkpoint::{RestoreError, StoreError};
use std::fmt;

/// Why something about checkpoints failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The hub takes no checkpoints of this session: it has no store of checkpoints, or the folders
    /// are refused.
    NotTaken,
    /// The store of checkpoints failed.
    Store(StoreError),
    /// The files were not restored.
    Restore(RestoreError),
    /// A turn of the session is running.
    TurnRuns,
    /// There is no restore to revert.
    NoRestore,
    /// The hub or the session was closed.
    Closed,
}

impl fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotTaken => f.write_str("no checkpoints are taken of this session"),
            Self::Store(error) => error.fmt(f),
            Self::Restore(error) => error.fmt(f),
            Self::TurnRuns => f.write_str("a turn is running: wait for its end, or cancel it"),
            Self::NoRestore => f.write_str("there is no restore to revert in this session"),
            Self::Closed => f.write_str("the hub or the session was closed"),
        }
    }
}

impl std::error::Error for CheckpointError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Store(error) => Some(error),
            Self::Restore(error) => Some(error),
            _ => None,
        }
    }
}

impl From<StoreError> for CheckpointError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<RestoreError> for CheckpointError {
    fn from(error: RestoreError) -> Self {
        Self::Restore(error)
    }
}
