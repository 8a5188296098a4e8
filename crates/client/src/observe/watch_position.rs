//! How far a watcher has seen a session or a hub.

use attache_session::{Block, Entry, EntryContent, Session};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How many messages a position remembers the length of. An older message that grows comes whole.
const MESSAGES: usize = 64;

/// How far a watcher has seen a session or a hub. It can be stored and sent, and it is good for as
/// long as the session or hub is open: `changes_since` gives what changed after it.
///
/// The default is before everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchPosition {
    /// Which history of the session: a load may replace it.
    pub(crate) generation: u64,
    /// The last event of the session that was seen.
    pub(crate) sequence: u64,
    /// The last change that was seen of what a hub keeps beside the session, or of the hub itself.
    pub(crate) revision: u64,
    /// How much of the newest messages was seen.
    messages: Vec<MessageExtent>,
}

/// How much of a message was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MessageExtent {
    entry: usize,
    pub(crate) text_bytes: usize,
    pub(crate) other_blocks: usize,
}

impl WatchPosition {
    /// The position behind everything in `session`.
    pub(crate) fn end_of(session: &Session) -> Self {
        let mut position = Self {
            generation: session.generation(),
            sequence: session.sequence(),
            ..Self::default()
        };
        let entries = session.entries();
        let first = entries.len().saturating_sub(MESSAGES);
        for (index, entry) in entries.iter().enumerate().skip(first) {
            position.see_entry(index, entry);
        }
        position
    }

    /// The same position behind another change of what is not in the session.
    pub(crate) fn with_revision(self, revision: u64) -> Self {
        Self { revision, ..self }
    }

    fn see_entry(&mut self, index: usize, entry: &Arc<Entry>) {
        let EntryContent::Message { blocks, .. } = &entry.content else { return };
        let (mut text_bytes, mut other_blocks) = (0, 0);
        for block in blocks {
            match block {
                Block::Text(text) => text_bytes += text.len(),
                Block::Other(_) => other_blocks += 1,
            }
        }
        self.see(index, text_bytes, other_blocks);
    }

    /// How much of the message with this index was seen; `None` if nothing is known of it.
    pub(crate) fn seen(&self, entry: usize) -> Option<MessageExtent> {
        self.messages.iter().rev().find(|extent| extent.entry == entry).copied()
    }

    /// Notes how much of a message was seen.
    pub(crate) fn see(&mut self, entry: usize, text_bytes: usize, other_blocks: usize) {
        let extent = MessageExtent { entry, text_bytes, other_blocks };
        match self.messages.iter_mut().rev().find(|extent| extent.entry == entry) {
            Some(known) => *known = extent,
            None => {
                if self.messages.len() >= MESSAGES {
                    self.messages.remove(0);
                }
                self.messages.push(extent);
            }
        }
    }

    /// Forgets the messages: another history takes their place.
    pub(crate) fn restart(&mut self, generation: u64) {
        *self = Self { generation, revision: self.revision, ..Self::default() };
    }
}
