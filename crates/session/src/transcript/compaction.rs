//! Compactions: the agent shortened its context.

use super::block::Block;
use attache_protocol::Meta;
use attache_protocol::v1::{CompactionId, CompactionStatus};

/// A compaction with all its updates applied (COMP-05, COMP-06).
#[derive(Debug, Clone, PartialEq)]
pub struct Compaction {
    /// Which compaction.
    pub id: CompactionId,
    /// How far it is; unknown ones are kept and shown neutrally (COMP-10).
    pub status: CompactionStatus,
    /// What is left of the context.
    pub summary: Vec<Block>,
    /// Why it failed.
    pub error: Option<String>,
    /// Data of extensions.
    pub meta: Option<Meta>,
}
