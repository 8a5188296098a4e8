//! What a session holds in memory at most.

use crate::block::blocks_weight;
use crate::{Block, Entry, EntryContent, Session, Timestamp};
use std::sync::Arc;

/// What a session holds in memory unless told otherwise: 64 MiB.
pub const MEMORY_LIMIT: usize = 64 << 20;

impl Session {
    /// Sets how much the transcript may take in memory, roughly, in bytes. Over it, the oldest
    /// entries become [`EntryContent::Dropped`]; who keeps the log can read them there.
    pub fn set_memory_limit(&mut self, bytes: usize) {
        self.memory_limit = bytes;
        if self.transcript.held > bytes {
            self.shed(self.sequence());
        }
    }

    /// How much the transcript takes in memory, roughly, in bytes.
    pub fn memory(&self) -> usize {
        self.transcript.held
    }

    /// The index of the first entry that memory still holds; those before it were dropped.
    pub fn truncated_before(&self) -> usize {
        self.transcript.truncated_before
    }

    /// Drops old entries until a quarter of the limit is free, so that this is done rarely; then
    /// the start of the last one's text.
    pub(crate) fn shed(&mut self, sequence: u64) {
        let target = self.memory_limit / 4 * 3;
        let dropped = Arc::new(Entry {
            content: EntryContent::Dropped,
            began_at: 0,
            changed_at: 0,
            at: Timestamp::default(),
            reshaped_at: 0,
            weight: 0,
        });
        let transcript = &mut self.transcript;
        let last = transcript.entries.len().saturating_sub(1);
        let first = transcript.truncated_before;
        while transcript.held > target && transcript.truncated_before < last {
            transcript.drop_entry(transcript.truncated_before, &dropped);
            transcript.truncated_before += 1;
        }
        if transcript.truncated_before > first {
            transcript.drop_keys();
        }
        let over = transcript.held.saturating_sub(target);
        if over > 0 {
            self.shed_text(last, over, sequence);
        }
    }

    fn shed_text(&mut self, index: usize, over: usize, sequence: u64) {
        let Some(entry) = self.transcript.get(index) else { return };
        let now = crate::transcript::Now { sequence: entry.changed_at.min(sequence), at: entry.at };
        self.transcript.change(now, index, |entry| {
            let before = entry.weight;
            if let EntryContent::Message { blocks, .. } = &mut entry.content {
                let mut over = over;
                let held = blocks_weight(blocks);
                for block in blocks.iter_mut() {
                    if let Block::Text(text) = block {
                        over = over.saturating_sub(text.drop_front(over));
                    }
                }
                return before.saturating_sub(held - blocks_weight(blocks).min(held));
            }
            before
        });
    }
}
