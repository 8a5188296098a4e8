//! What the person decides about hunks.

use attache_checkpoint::{HunkKey, Plan};
use std::collections::BTreeSet;

/// A decision of the person about hunks.
#[derive(Debug)]
pub(crate) enum ReviewChange {
    /// The hunks stay.
    Accept(BTreeSet<HunkKey>),
    /// The decision to accept the hunks is taken back.
    Reopen(BTreeSet<HunkKey>),
    /// The hunk gets this comment; an empty one removes the comment.
    Comment(HunkKey, String),
    /// The hunks of the plan are reverted in the files.
    Reject(Box<Plan>),
}
