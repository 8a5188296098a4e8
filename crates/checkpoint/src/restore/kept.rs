//! Why a restore leaves a path as it is.

use crate::snapshot::entry::NotKeptReason;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a restore leaves a path as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum KeptReason {
    /// Only others changed it: the user, other programs, or other sessions.
    Others,
    /// Others changed it too, and both changes cannot be merged. The user may choose to overwrite
    /// it.
    Conflict,
    /// It is not known who changed it. The user may choose to restore it.
    Shared,
    /// It is protected. The user may choose to restore it.
    Protected,
    /// It existed before, but the checkpoint does not have it, for example because it was ignored.
    /// The user may choose to remove it.
    NotNew,
    /// The checkpoint does not have its content.
    NotInCheckpoint {
        /// Why not.
        reason: NotKeptReason,
    },
    /// The merged contents of the plan would need too much memory.
    MergeLimit,
    /// It is not known what it was.
    Unknown,
    /// Its present content cannot be kept, so the restore could not be undone.
    PresentNotKept,
    /// The folder has entries that stay.
    NotEmpty,
    /// A file or a link has the place of a folder above it.
    InTheWay,
    /// Another path of the plan is the same entry, so a change would apply to both.
    SameEntry,
    /// It is a pipe, a socket or a device.
    Special,
    /// Another program has locked it.
    Locked,
    /// It changed after the preview.
    ChangedSincePreview,
    /// It cannot be read.
    Unreadable,
    /// The user stopped the restore before it.
    Stopped,
}

impl KeptReason {
    /// Returns whether the user can choose that the path is restored.
    pub fn has_choice(self) -> bool {
        matches!(self, Self::Conflict | Self::Shared | Self::Protected | Self::NotNew)
    }
}

impl fmt::Display for KeptReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Others => "changed by you, another program or another session",
            Self::Conflict => "others changed the same part of it",
            Self::Shared => "it is not known who changed it",
            Self::Protected => "it is protected",
            Self::NotNew => "it existed before, but the checkpoint does not have it",
            Self::NotInCheckpoint { reason } => {
                return write!(f, "the checkpoint does not have it: {reason}");
            }
            Self::MergeLimit => "too much text is to be merged: restore fewer files at once",
            Self::Unknown => "the checkpoint does not know what it was",
            Self::PresentNotKept => "its present content cannot be kept",
            Self::NotEmpty => "the folder is not empty",
            Self::InTheWay => "a file or link is in the place of its folder",
            Self::SameEntry => "another path is the same file or folder",
            Self::Special => "it is a pipe, socket or device",
            Self::Locked => "another program has locked it",
            Self::ChangedSincePreview => "it changed after the preview",
            Self::Unreadable => "it cannot be read",
            Self::Stopped => "the restore was stopped before it",
        })
    }
}
