//! What changed between two contents or two trees.

pub(crate) mod contents;
pub(crate) mod file_change;
pub(crate) mod hunk;
pub(crate) mod lines;
pub(crate) mod merge;
pub(crate) mod rename;
pub(crate) mod repository;
pub(crate) mod state;
