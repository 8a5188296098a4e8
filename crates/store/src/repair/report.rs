//! The result of a repair.

use std::path::PathBuf;

/// The result of repairing a damaged store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repair {
    /// The store's file.
    pub file: PathBuf,
    /// The damaged file, unchanged.
    pub damaged: PathBuf,
    /// The number of intact sessions, which were kept.
    pub kept: u64,
    /// The damaged sessions, which are no longer in the store.
    pub left_out: Vec<LeftOut>,
    /// The number of further sessions that are so badly damaged that their keys are lost.
    pub nameless: u64,
}

/// A session that was lost because the store was damaged.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// The session's agent.
    pub agent: String,
    /// The session's id.
    pub session_id: String,
    /// The session's title, if known.
    pub title: Option<String>,
}
