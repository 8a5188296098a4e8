//! What a checkpoint holds: paths, entries, and trees of them.

pub(crate) mod content_id;
pub(crate) mod entry;
pub(crate) mod json;
pub(crate) mod path;
pub(crate) mod tree;
