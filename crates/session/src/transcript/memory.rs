//! Keeps a transcript within its memory limit.

use super::Transcript;
use super::block::{Block, blocks_weight};
use super::entry::{EntryContent, Now, dropped_entry};

/// The default memory limit of a session: 64 MiB.
pub const MEMORY_LIMIT: usize = 64 << 20;

impl Transcript {
    /// Drops old entries, and then the start of the last entry's text, until a quarter of the limit
    /// is free. Freeing that much makes this rare.
    pub(crate) fn shed(&mut self, limit: usize, sequence: u64) {
        let target = limit / 4 * 3;
        let dropped = dropped_entry();
        let last = self.entries.len().saturating_sub(1);
        let first = self.truncated_before;
        while self.held > target && self.truncated_before < last {
            self.drop_entry(self.truncated_before, &dropped);
            self.truncated_before += 1;
        }
        if self.truncated_before > first {
            self.drop_keys();
        }
        let over = self.held.saturating_sub(target);
        if over > 0 {
            self.shed_text(last, over, sequence);
        }
    }

    fn shed_text(&mut self, index: usize, over: usize, sequence: u64) {
        let Some(entry) = self.get(index) else { return };
        let now = Now { sequence: entry.changed_at.min(sequence), at: entry.at };
        self.change(now, index, |entry| {
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
