//! What a restore did.

use crate::restore::kept::KeptReason;
use crate::snapshot::path::TreePath;
use crate::store::id::CheckpointId;
use serde::Serialize;
use std::path::PathBuf;

/// What a restore did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Restored {
    /// The checkpoint before the restore, which also names the restore when it is undone.
    pub id: CheckpointId,
    /// The checkpoint after it, or `None` if the restore was interrupted or the checkpoint could
    /// not be taken.
    pub after: Option<CheckpointId>,
    /// The folders. [`TreePath::root`] is an index of this list.
    pub roots: Vec<PathBuf>,
    /// The paths that have their planned entry.
    pub done: Vec<TreePath>,
    /// The paths that stay as they were, and why.
    pub kept: Vec<(TreePath, KeptReason)>,
    /// The paths that the system refused to change. They are as they were.
    pub failed: Vec<Failure>,
    /// Whether the disk was full, so that the restore waits to be completed by
    /// [`Restorer::recover`](crate::Restorer::recover).
    pub is_interrupted: bool,
    /// Why a folder of an interrupted restore cannot be opened at present. Nothing was done, and
    /// the restore still waits to be completed.
    pub unopened: Option<String>,
}

impl Restored {
    /// Returns whether the user stopped the restore before some of its paths.
    pub fn is_stopped(&self) -> bool {
        self.kept.iter().any(|(_, why)| *why == KeptReason::Stopped)
    }
}

/// A path that could not be changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The path.
    pub path: TreePath,
    /// The error of the system.
    pub message: String,
}
