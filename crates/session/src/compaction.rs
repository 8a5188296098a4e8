//! Compactions: the agent shortened its context.

use crate::block::{append, blocks_weight, joined};
use crate::keys::Key;
use crate::transcript::{Now, Transcript};
use crate::{Block, Change, EntryContent, Parts};
use attache_protocol::v1::{
    CompactionId, CompactionStatus, CompactionSummaryChunk, CompactionUpdate,
};
use attache_protocol::{Meta, Patch};

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

impl Transcript {
    /// Applies an update; the first sight of an id fixes its place (COMP-07).
    pub(crate) fn compaction(&mut self, now: Now, update: &CompactionUpdate) -> Change {
        let index = self.compaction_entry(now, &update.compaction_id, &update.status);
        self.patch_compaction(now, index, |compaction| {
            compaction.status = update.status.clone();
            match &update.summary {
                Patch::Keep => {}
                Patch::Clear => compaction.summary.clear(),
                Patch::Set(summary) => compaction.summary = joined(summary),
            }
            update.error.clone().apply(&mut compaction.error);
            update.meta.clone().apply(&mut compaction.meta);
        })
    }

    /// Appends to a summary; an id seen first here is a compaction in progress (X7).
    pub(crate) fn compaction_summary(
        &mut self,
        now: Now,
        chunk: &CompactionSummaryChunk,
    ) -> Change {
        let index = self.compaction_entry(now, &chunk.compaction_id, &CompactionStatus::InProgress);
        self.patch_compaction(now, index, |compaction| {
            append(&mut compaction.summary, &chunk.content);
        })
    }

    fn compaction_entry(
        &mut self,
        now: Now,
        id: &CompactionId,
        status: &CompactionStatus,
    ) -> usize {
        let key = Key::Compaction(id.clone());
        self.find(&key).unwrap_or_else(|| {
            let compaction = Compaction {
                id: id.clone(),
                status: status.clone(),
                summary: Vec::new(),
                error: None,
                meta: None,
            };
            self.begin(now, Some(key), EntryContent::Compaction(Box::new(compaction)), 0)
        })
    }

    fn patch_compaction(
        &mut self,
        now: Now,
        index: usize,
        patch: impl FnOnce(&mut Compaction),
    ) -> Change {
        self.replace(now, index, Parts::COMPACTION, |entry| {
            let EntryContent::Compaction(compaction) = entry else { return 0 };
            patch(compaction);
            blocks_weight(&compaction.summary)
        })
    }
}
