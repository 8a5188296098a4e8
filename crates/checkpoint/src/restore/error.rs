//! Errors of restores.

use crate::store::error::{StoreError, TakeError};
use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why nothing was planned or restored.
#[derive(Debug)]
#[non_exhaustive]
pub enum RestoreError {
    /// The store failed.
    Store(StoreError),
    /// The checkpoint of the present could not be taken.
    Take(TakeError),
    /// A folder of the checkpoint cannot be opened.
    Root {
        /// The folder.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The owner has no such turn.
    NoTurn {
        /// The number of the turn.
        turn: u64,
    },
    /// There is no such restore.
    NoRestore {
        /// The id of the checkpoint before it.
        id: String,
    },
    /// Another restore is running.
    Busy,
    /// It was stopped before it changed a file.
    Stopped,
    /// The folder of the store cannot be used.
    Io(io::Error),
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => fmt::Display::fmt(error, f),
            Self::Take(error) => fmt::Display::fmt(error, f),
            Self::Root { path, reason } => {
                write!(f, "the folder {} cannot be restored: {reason}", path.display())
            }
            Self::NoTurn { turn } => {
                write!(f, "the session has no checkpoints of turn {turn}: choose another turn")
            }
            Self::NoRestore { id } => {
                write!(f, "no restore has the id {id}: run \"attache checkpoints list\"")
            }
            Self::Busy => f.write_str("another restore is running: try again when it is done"),
            Self::Stopped => f.write_str("the restore was stopped: nothing was restored"),
            Self::Io(error) => write!(f, "the checkpoints cannot be used: {error}"),
        }
    }
}

impl std::error::Error for RestoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Store(error) => Some(error),
            Self::Take(error) => Some(error),
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<StoreError> for RestoreError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<TakeError> for RestoreError {
    fn from(error: TakeError) -> Self {
        Self::Take(error)
    }
}
