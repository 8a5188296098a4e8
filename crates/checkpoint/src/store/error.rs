//! Errors of the store.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a store cannot do something.
#[derive(Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// No checkpoint has this id.
    NotFound {
        /// The text that was looked for.
        id: String,
    },
    /// More than one checkpoint has an id that begins so.
    Ambiguous {
        /// The text that was looked for.
        id: String,
        /// How many checkpoints have such an id.
        matches: usize,
    },
    /// The store does not have this content.
    NoContent {
        /// The hash of the content.
        id: String,
    },
    /// A part of the store is damaged.
    Damaged {
        /// The path of the store.
        path: PathBuf,
        /// What is damaged.
        reason: String,
    },
    /// A newer version of this program wrote the store.
    Newer {
        /// The path of the store.
        path: PathBuf,
    },
    /// The store cannot be written.
    ReadOnly {
        /// The path of the store.
        path: PathBuf,
    },
    /// The disk of the store is full.
    DiskFull {
        /// The path of the store.
        path: PathBuf,
    },
    /// Another process keeps the store locked.
    Busy {
        /// The path of the store.
        path: PathBuf,
    },
    /// The owner of a checkpoint, restore or decision was deleted meanwhile, or before.
    Forgotten {
        /// The owner.
        owner: String,
    },
    /// Something else failed.
    Failed {
        /// The path of the store.
        path: PathBuf,
        /// What failed.
        reason: String,
    },
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound { id } => write!(
                f,
                "no checkpoint has the id {id}: run \"attache checkpoints list\" to see the ids"
            ),
            Self::Ambiguous { id, matches } => {
                write!(f, "{matches} checkpoints have an id that begins with {id}: use more of it")
            }
            Self::NoContent { id } => write!(f, "the store has no content with the hash {id}"),
            Self::Damaged { path, reason } => {
                write!(f, "the checkpoints in {} are damaged: {reason}", path.display())
            }
            Self::Newer { path } => write!(
                f,
                "a newer version of this program wrote the checkpoints in {}: update this one",
                path.display()
            ),
            Self::ReadOnly { path } => write!(
                f,
                "checkpoints cannot be written to {}: make the folder writable",
                path.display()
            ),
            Self::DiskFull { path } => {
                write!(f, "the disk of the checkpoints in {} is full: free space", path.display())
            }
            Self::Busy { path } => write!(
                f,
                "another program keeps the checkpoints in {} locked: try again, or close it",
                path.display()
            ),
            Self::Forgotten { owner } => {
                write!(f, "nothing was stored: the session {owner} was deleted")
            }
            Self::Failed { path, reason } => {
                write!(f, "the checkpoints in {} failed: {reason}", path.display())
            }
        }
    }
}

impl std::error::Error for StoreError {}

/// Why a checkpoint could not be taken.
#[derive(Debug)]
#[non_exhaustive]
pub enum TakeError {
    /// The store failed.
    Store(StoreError),
    /// A root cannot be read.
    Root {
        /// The root.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl fmt::Display for TakeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => fmt::Display::fmt(error, f),
            Self::Root { path, source } => {
                write!(f, "the folder {} cannot be read: {source}", path.display())
            }
        }
    }
}

impl std::error::Error for TakeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Store(error) => Some(error),
            Self::Root { source, .. } => Some(source),
        }
    }
}

impl From<StoreError> for TakeError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
