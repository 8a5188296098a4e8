//! Reviews: accepts and rejects what turns changed, hunk by hunk.

pub(crate) mod decision;
pub(crate) mod feedback;
pub(crate) mod reviewer;
