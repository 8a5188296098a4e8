//! What a checkpoint holds and lacks, in short.

use crate::snapshot::entry::NotKeptReason;
use crate::snapshot::path::TreePath;
use crate::store::id::CheckpointId;
use crate::store::label::Label;
use std::path::PathBuf;
use std::time::SystemTime;

/// What a checkpoint holds and lacks, in short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The id.
    pub id: CheckpointId,
    /// When taking it began.
    pub at: SystemTime,
    /// Whose it is, and why it was taken.
    pub label: Label,
    /// The folders that it covers. [`TreePath::root`] is an index of this list.
    pub roots: Vec<PathBuf>,
    /// How many entries it holds, folders and links included.
    pub files: u64,
    /// How many entries differ from the checkpoint of the same folders before it.
    pub changed: u64,
    /// Whether it has everything but what a rule leaves out: large, secret and special files, and
    /// other file systems.
    pub complete: bool,
    /// Some of what it lacks: at most [`NOT_KEPT_LIMIT`](Self::NOT_KEPT_LIMIT) entries. The tree
    /// has all of them.
    pub not_kept: Vec<NotKept>,
    /// How many entries it lacks.
    pub not_kept_count: u64,
    /// How many entries ignore files leave out. A folder counts as one.
    pub ignored: u64,
}

impl Summary {
    /// How many entries [`not_kept`](Self::not_kept) lists at most.
    pub const NOT_KEPT_LIMIT: usize = 100;
}

/// Something that a checkpoint lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotKept {
    /// The path.
    pub path: TreePath,
    /// Why it is lacking.
    pub why: NotKeptReason,
}
