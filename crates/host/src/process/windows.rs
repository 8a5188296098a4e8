//! Process trees, pipes and statuses on Windows. Never run on Windows, only under Wine.

pub(crate) mod job;
pub(crate) mod output;
pub(crate) mod pipes;
pub(crate) mod signals;
pub(crate) mod tree;
