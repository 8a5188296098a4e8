//! Compactions: the agent shortened its context.

use crate::block::{append, joined, weight};
use crate::transcript::{Key, Now, Transcript};
use crate::{Block, Change, EntryContent, Parts};
use attache_protocol::v1::{
    CompactionId, CompactionStatus, CompactionSummaryChunk, CompactionUpdate, ContentBlock,
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
        let added = update.summary.set().map_or(0, |summary| summary.iter().map(weight).sum());
        let index = self.compaction_entry(now, &update.compaction_id, &update.status);
        self.patch_compaction(now, index, added, |compaction| {
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
    pub(crate) fn compaction_summary(&mut self, now: Now, chunk: &CompactionSummaryChunk) -> Change {
        let content: &ContentBlock = &chunk.content;
        let index = self.compaction_entry(now, &chunk.compaction_id, &CompactionStatus::InProgress);
        self.patch_compaction(now, index, weight(content), |compaction| {
            append(&mut compaction.summary, content);
        })
    }

    fn compaction_entry(&mut self, now: Now, id: &CompactionId, status: &CompactionStatus) -> usize {
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
        added: usize,
        patch: impl FnOnce(&mut Compaction),
    ) -> Change {
        self.change(now, index, |entry| {
            entry.reshaped_at = now.sequence;
            if let EntryContent::Compaction(compaction) = &mut entry.content {
                patch(compaction);
            }
            entry.weight + added
        });
        Change::entry(Parts::COMPACTION, index)
    }
}
