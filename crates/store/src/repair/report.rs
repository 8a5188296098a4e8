//! What a repair kept and what it left out.

use std::path::PathBuf;

/// What became of a damaged store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repair {
    /// The store's file.
    pub file: PathBuf,
    /// The damaged file as it was; nothing of it is changed.
    pub damaged: PathBuf,
    /// How many sessions are whole and go on.
    pub kept: u64,
    /// The sessions that are damaged and not in the store any more.
    pub left_out: Vec<LeftOut>,
    /// How many more are damaged so much that their names are lost.
    pub nameless: u64,
}

/// A session that a damaged store lost.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// The agent whose session it was.
    pub agent: String,
    /// The session's id.
    pub session_id: String,
    /// Its title, if that is known.
    pub title: Option<String>,
}
