//! Keeps a transcript within its memory limit.

use super::block::{Block, blocks_weight};
use super::entry::{EntryContent, Now, dropped_entry};
use super::tool_call::{content_weight, tool_call_weight};
use super::{ENTRY_WEIGHT, Transcript};
use crate::{ToolCallContent, ToolCallParts};

/// The default memory limit of a session: 64 MiB.
pub const MEMORY_LIMIT: usize = 64 << 20;

impl Transcript {
    /// Drops old entries, and then the start of the last entry's text or output, until a quarter of
    /// the limit is free. Freeing that much makes this rare.
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
            self.shed_start(last, over, sequence);
        }
    }

    fn shed_start(&mut self, index: usize, over: usize, sequence: u64) {
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
            if let EntryContent::ToolCall(call) = &mut entry.content {
                drop_parts(&mut call.content, over);
                return tool_call_weight(call) + ENTRY_WEIGHT;
            }
            before
        });
    }
}

/// Drops the first parts of an output, about `over` bytes. The last part stays.
fn drop_parts(parts: &mut ToolCallParts, mut over: usize) {
    let goes = |part: &&ToolCallContent| {
        let goes = over > 0;
        over = over.saturating_sub(content_weight(part));
        goes
    };
    let gone = parts.iter().take_while(goes).count().min(parts.len().saturating_sub(1));
    parts.drop_front(gone);
}
