//! Compaction (requirements §4.14): the agent shortens its context and says so. Only with
//! `session.compaction` (COMP-01).

use super::ContentBlock;
use crate::wire::declare::{wire_id, wire_string, wire_struct};
use crate::{Meta, Patch};

wire_id! {
    /// Names one compaction; unique in its session (COMP-02).
    pub struct CompactionId;
}

wire_struct! {
    /// A compaction begins, goes on or ends. The first sight of an id fixes its place in the
    /// transcript (COMP-07).
    pub plain struct CompactionUpdate {
        /// Which compaction.
        must compaction_id: CompactionId = "compactionId",
        /// How far it is.
        must status: CompactionStatus = "status",
        /// The whole summary from now on; an empty list clears it too (COMP-05). Not empty only
        /// when completed (COMP-08).
        patch_items summary: Patch<Vec<ContentBlock>> = "summary",
        /// Why it failed (COMP-08).
        patch error: Patch<String> = "error",
        /// Data of extensions, patched as a whole (COMP-05).
        patch meta: Patch<Meta> = "_meta",
    }
}

wire_string! {
    /// How far a compaction is. Unknown ones are kept and shown neutrally (COMP-10).
    pub enum CompactionStatus open {
        /// Running.
        InProgress = "in_progress",
        /// Ended well.
        Completed = "completed",
        /// Ended badly.
        Failed = "failed",
        /// Stopped.
        Cancelled = "cancelled",
    }
}

wire_struct! {
    /// A piece of a summary, appended in the order of arrival (COMP-06). An id seen first here is a
    /// compaction in progress (X7).
    pub struct CompactionSummaryChunk {
        /// Which compaction.
        must compaction_id: CompactionId = "compactionId",
        /// The piece.
        must content: ContentBlock = "content",
    }
}
