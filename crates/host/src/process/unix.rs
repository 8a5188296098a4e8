//! Process trees, pipes and statuses on Unix.

pub(crate) mod output;
pub(crate) mod pipes;
pub(crate) mod signals;
pub(crate) mod tree;
