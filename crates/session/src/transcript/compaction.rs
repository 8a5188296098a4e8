//! Compactions: the agent shortened its context.

use super::block::Block;
use attache_protocol::Meta;
use attache_protocol::v1::{CompactionId, CompactionStatus};

/// A compaction with all its updates applied.
#[derive(Debug, Clone, PartialEq)]
pub struct Compaction {
    /// The id of the compaction.
    pub id: CompactionId,
    /// The status of the compaction. Unknown statuses are kept.
    pub status: CompactionStatus,
    /// The summary of the context.
    pub summary: Vec<Block>,
    /// Why it failed.
    pub error: Option<String>,
    /// Extension data.
    pub meta: Option<Meta>,
}
