//! Tools that read and change files.

pub(crate) mod apply_patch;
pub(crate) mod binary;
pub(crate) mod change;
pub(crate) mod delete;
pub(crate) mod diffs;
pub(crate) mod document;
pub(crate) mod edit;
pub(crate) mod file_access;
pub(crate) mod move_file;
pub(crate) mod patch;
pub(crate) mod read;
pub(crate) mod step;
pub(crate) mod write;
