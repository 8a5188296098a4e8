//! Compaction: the agent shortens its context and reports it. In version 1 only with
//! `session.compaction`.

use super::ContentBlock;
use crate::wire::declare::{wire_id, wire_string, wire_struct};
use crate::{Meta, Patch};

wire_id! {
    /// The id of one compaction; unique in its session.
    pub struct CompactionId;
}

wire_struct! {
    /// A compaction begins, continues or ends. The first update with an id determines its place in
    /// the transcript.
    pub plain struct CompactionUpdate {
        /// The id of the compaction.
        must compaction_id: CompactionId = "compactionId",
        /// Its status.
        must status: CompactionStatus = "status",
        /// The whole new summary. An empty list also clears it. Only a completed compaction has a
        /// non-empty summary.
        patch_items summary: Patch<Vec<ContentBlock>> = "summary",
        /// Why it failed.
        patch error: Patch<String> = "error",
        /// Extension data: replaced in version 1, patched by top-level key in version 2.
        patch meta: Patch<Meta> = "_meta",
    }
}

wire_string! {
    /// The status of a compaction. Unknown ones are kept and shown without emphasis.
    pub enum CompactionStatus open {
        /// Running.
        InProgress = "in_progress",
        /// Succeeded.
        Completed = "completed",
        /// Failed.
        Failed = "failed",
        /// Stopped.
        Cancelled = "cancelled",
    }
}

wire_struct! {
    /// A chunk of a summary, appended in the order of arrival. An unknown id begins a compaction
    /// with the status `in_progress`.
    pub struct CompactionSummaryChunk {
        /// The id of the compaction.
        must compaction_id: CompactionId = "compactionId",
        /// The chunk.
        must content: ContentBlock = "content",
    }
}
