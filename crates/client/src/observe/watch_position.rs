//! A position: how much of a session or a hub a watcher has seen.

use attache_session::{Block, Entry, EntryContent, Session};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The number of messages whose length a position remembers. If an older message grows, it is sent
/// whole.
const MESSAGES: usize = 64;

/// How much of a session or a hub a watcher has seen. It can be stored and sent, and is valid as
/// long as the session or hub is open: `changes_since` returns the changes after it.
///
/// The default position is before all changes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchPosition {
    /// Identifies the session's history, which a load may replace.
    pub(crate) generation: u64,
    /// The last seen event of the session.
    pub(crate) sequence: u64,
    /// The last seen change to the hub's state of the session, or to the hub itself.
    pub(crate) revision: u64,
    /// The number of the last seen checkpoint of the session's folders.
    #[serde(default)]
    pub(crate) checkpoints: u64,
    /// The seen parts of the newest messages.
    messages: Vec<MessageExtent>,
}

/// The seen part of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MessageExtent {
    entry: usize,
    pub(crate) text_bytes: usize,
    pub(crate) other_blocks: usize,
}

impl WatchPosition {
    /// The position at the end of `session`.
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

    /// The same position, with another revision: the number of the last seen change outside of the
    /// session's fold.
    pub(crate) fn with_revision(self, revision: u64) -> Self {
        Self { revision, ..self }
    }

    /// The same position, with another number of the last seen checkpoint of the folders.
    #[cfg(feature = "checkpoints")]
    pub(crate) fn with_checkpoints(self, checkpoints: u64) -> Self {
        Self { checkpoints, ..self }
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

    /// The seen part of the message with this index; `None` if it is unknown.
    pub(crate) fn seen(&self, entry: usize) -> Option<MessageExtent> {
        self.messages.iter().rev().find(|extent| extent.entry == entry).copied()
    }

    /// Notes the seen part of a message.
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

    /// Forgets the messages, because another history replaces them.
    pub(crate) fn restart(&mut self, generation: u64) {
        let Self { revision, checkpoints, .. } = *self;
        *self = Self { generation, revision, checkpoints, ..Self::default() };
    }
}
