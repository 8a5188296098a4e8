//! The entries of a session in order.

pub(crate) mod agent_entries;
pub(crate) mod block;
pub(crate) mod compaction;
pub(crate) mod entries;
pub(crate) mod entry;
pub(crate) mod keys;
pub(crate) mod memory;
pub(crate) mod plan;
pub(crate) mod subagent;
pub(crate) mod text;
mod tool_call;

use self::block::{append, joined, text_length, weight};
use self::entries::Entries;
use self::entry::{Entry, EntryContent, Now};
use self::keys::{Key, Keys};
use self::plan::plan_weight;
use crate::change::{Change, EntryChange, Parts};
use crate::event::{MessageAuthor, PlanContent};
use crate::position::{Length, Position, slot};
use attache_protocol::Patch;
use attache_protocol::v1::{ContentBlock, MessageId, PlanId};
use std::sync::Arc;

/// The approximate memory of an entry besides its content, in bytes.
const ENTRY_WEIGHT: usize = 256;

/// All entries, shared with snapshots until the next change.
#[derive(Debug, Clone, Default)]
pub(crate) struct Transcript {
    pub(crate) entries: Entries,
    pub(crate) keys: Keys,
    /// Indices in the order of change, the latest at the end. An index may occur several times.
    pub(crate) recent: Arc<Vec<usize>>,
    /// The latest message of each author, by [`slot`].
    pub(crate) open: [Option<usize>; 3],
    /// Whether the next chunk without an id begins a new message, because a prompt came before it.
    pub(crate) closed: bool,
    /// The sum of all weights.
    pub(crate) held: usize,
    /// Entries before this one were dropped.
    pub(crate) truncated_before: usize,
    /// Whether the keys of dropped entries stay, so that later events find them. These events then
    /// change nothing, but their [`Change`] names the entry.
    pub(crate) keeps_keys: bool,
}

impl Transcript {
    pub(crate) fn find(&self, key: &Key) -> Option<usize> {
        self.keys.find(key)
    }

    pub(crate) fn get(&self, index: usize) -> Option<&Arc<Entry>> {
        self.entries.get(index)
    }

    /// Applies a user's prompt, which is always a message of its own.
    pub(crate) fn prompt(&mut self, now: Now, content: &[ContentBlock]) -> Change {
        self.closed = true;
        if content.is_empty() {
            return Change::NONE;
        }
        let blocks = joined(content);
        let content_weight = content.iter().map(weight).sum();
        let message = EntryContent::Message { author: MessageAuthor::User, id: None, blocks };
        let index = self.begin(now, None, message, content_weight);
        Change::entry(Parts::MESSAGE | Parts::TEXT, index)
    }

    /// Applies a chunk (MSG-02, MSG-04).
    pub(crate) fn chunk(
        &mut self,
        now: Now,
        author: MessageAuthor,
        id: Option<&MessageId>,
        content: &ContentBlock,
    ) -> Change {
        let Some(index) = self.message_of(author, id) else {
            let mut blocks = Vec::new();
            append(&mut blocks, content);
            let key = id.map(|id| Key::Message(author, id.clone()));
            let message = EntryContent::Message { author, id: id.cloned(), blocks };
            let index = self.begin(now, key, message, weight(content));
            self.open_message(author, index);
            self.closed = false;
            return Change::entry(Parts::MESSAGE | Parts::TEXT, index);
        };
        let mut only_text = true;
        let added = match content {
            ContentBlock::Text(text) => text.text.len(),
            other => weight(other),
        };
        self.change(now, index, |entry| {
            if let EntryContent::Message { blocks, .. } = &mut entry.content {
                only_text = append(blocks, content);
            }
            if !only_text {
                entry.reshaped_at = now.sequence;
            }
            entry.weight + added
        });
        self.open_message(author, index);
        Change::entry(if only_text { Parts::TEXT } else { Parts::TEXT | Parts::MESSAGE }, index)
    }

    /// Creates a message or replaces its content.
    pub(crate) fn whole_message(
        &mut self,
        now: Now,
        author: MessageAuthor,
        id: &MessageId,
        content: &Patch<Vec<ContentBlock>>,
    ) -> Change {
        let key = Key::Message(author, id.clone());
        let content = match content {
            Patch::Keep => None,
            Patch::Clear => Some(&[] as &[ContentBlock]),
            Patch::Set(content) => Some(content.as_slice()),
        };
        let weight = content.unwrap_or_default().iter().map(weight).sum();
        let parts = Parts::MESSAGE | Parts::TEXT;
        let change = match (self.find(&key), content) {
            (Some(_), None) => return Change::NONE,
            (Some(index), Some(content)) if self.holds(index, content) => {
                self.open_message(author, index);
                return Change::NONE;
            }
            (Some(index), Some(content)) => self.replace(now, index, parts, |entry| {
                if let EntryContent::Message { blocks, .. } = entry {
                    *blocks = joined(content);
                }
                weight
            }),
            (None, content) => {
                let blocks = joined(content.unwrap_or_default());
                let message = EntryContent::Message { author, id: Some(id.clone()), blocks };
                Change::entry(parts, self.begin(now, Some(key), message, weight))
            }
        };
        if let Some(index) = change.entry {
            self.open_message(author, index);
            self.closed = false;
        }
        change
    }

    /// Whether a message has exactly this content.
    fn holds(&self, index: usize, content: &[ContentBlock]) -> bool {
        self.get(index).is_some_and(|entry| match &entry.content {
            EntryContent::Message { blocks, .. } => *blocks == joined(content),
            _ => false,
        })
    }

    /// Returns the message that a chunk continues.
    fn message_of(&self, author: MessageAuthor, id: Option<&MessageId>) -> Option<usize> {
        let open = self.open.get(slot(author)).copied().flatten();
        match id {
            Some(id) => {
                // The message is nearly always the latest one, and checking this is cheaper than
                // using the index.
                let is_open = |index: &usize| {
                    self.get(*index).is_some_and(|entry| match &entry.content {
                        EntryContent::Message { id: open, .. } => open.as_ref() == Some(id),
                        _ => false,
                    })
                };
                open.filter(is_open).or_else(|| self.find(&Key::Message(author, id.clone())))
            }
            None => open.filter(|index| !self.closed && index + 1 == self.entries.len()),
        }
    }

    fn open_message(&mut self, author: MessageAuthor, index: usize) {
        if let Some(open) = self.open.get_mut(slot(author)) {
            *open = Some(index);
        }
    }

    /// Adds an entry at the end.
    pub(crate) fn begin(
        &mut self,
        now: Now,
        key: Option<Key>,
        content: EntryContent,
        weight: usize,
    ) -> usize {
        let weight = weight + ENTRY_WEIGHT;
        let index = self.entries.len();
        let mut entry = Entry {
            content,
            began_at: now.sequence,
            changed_at: now.sequence,
            at: now.at,
            ended_at: None,
            reshaped_at: now.sequence,
            weight,
        };
        entry.note_end(now.at);
        self.entries.push(Arc::new(entry));
        self.held += weight;
        if let Some(key) = key {
            self.keys.insert(key, index);
        }
        self.touch(index);
        index
    }

    /// Changes an entry. `change` returns its new weight.
    pub(crate) fn change(
        &mut self,
        now: Now,
        index: usize,
        change: impl FnOnce(&mut Entry) -> usize,
    ) {
        let Some(entry) = self.entries.get_mut(index) else { return };
        if entry.content == EntryContent::Dropped {
            return;
        }
        let entry = Arc::make_mut(entry);
        entry.changed_at = now.sequence;
        let before = entry.weight;
        let after = change(entry);
        entry.weight = after;
        entry.note_end(now.at);
        self.held = (self.held + after).saturating_sub(before);
        self.touch(index);
    }

    /// Changes an entry in another way than by appending text. `change` returns the weight of the
    /// content alone.
    pub(crate) fn replace(
        &mut self,
        now: Now,
        index: usize,
        parts: Parts,
        change: impl FnOnce(&mut EntryContent) -> usize,
    ) -> Change {
        self.change(now, index, |entry| {
            entry.reshaped_at = now.sequence;
            change(&mut entry.content) + ENTRY_WEIGHT
        });
        Change::entry(parts, index)
    }

    fn touch(&mut self, index: usize) {
        if self.recent.last() == Some(&index) {
            return;
        }
        let recent = Arc::make_mut(&mut self.recent);
        recent.push(index);
        if recent.len() > 2 * self.entries.len() + 64 {
            let mut seen = vec![false; self.entries.len()];
            let mut latest: Vec<usize> = Vec::with_capacity(self.entries.len());
            for index in recent.iter().rev() {
                if seen.get_mut(*index).is_some_and(|seen| !std::mem::replace(seen, true)) {
                    latest.push(*index);
                }
            }
            latest.reverse();
            *recent = latest;
        }
    }

    /// The entries that changed after `sequence`, in the order of the transcript.
    pub(crate) fn changed_since(&self, sequence: u64) -> Vec<usize> {
        let changed =
            |index: &&usize| self.get(**index).is_some_and(|entry| entry.changed_at > sequence);
        let mut indices: Vec<usize> =
            self.recent.iter().rev().take_while(changed).copied().collect();
        indices.sort_unstable();
        indices.dedup();
        indices
    }

    /// The lengths of the messages being written.
    pub(crate) fn lengths(&self) -> [Option<Length>; 3] {
        self.open.map(|open| {
            let entry = open?;
            Some(Length { entry, bytes: text_length(self.get(entry)?.blocks()) })
        })
    }

    /// The change of one entry since `position`.
    pub(crate) fn entry_change(&self, entry: usize, position: &Position) -> Option<EntryChange> {
        let content = self.get(entry)?;
        if content.began_at > position.sequence {
            return Some(EntryChange::Began { entry, content: content.clone() });
        }
        if let (EntryContent::Message { author, .. }, Some(start)) =
            (&content.content, position.text_of(entry))
            && content.reshaped_at <= position.sequence
            && let Some(new_text) = content.text_after(start)
        {
            return Some(EntryChange::TextGrew { entry, author: *author, new_text });
        }
        Some(EntryChange::Replaced { entry, content: content.clone() })
    }

    /// Applies a plan (PLAN-03, PLANU-02).
    pub(crate) fn plan(
        &mut self,
        now: Now,
        id: Option<&PlanId>,
        content: Option<&PlanContent>,
    ) -> Change {
        let key = Key::Plan(id.cloned());
        let weight = content.map_or(0, plan_weight);
        match (self.find(&key), content) {
            (Some(index), _) => self.replace(now, index, Parts::PLAN, |entry| {
                *entry = EntryContent::Plan { id: id.cloned(), content: content.cloned() };
                weight
            }),
            (None, Some(content)) => {
                let plan = EntryContent::Plan { id: id.cloned(), content: Some(content.clone()) };
                Change::entry(Parts::PLAN, self.begin(now, Some(key), plan, weight))
            }
            (None, None) => Change::NONE,
        }
    }

    /// Drops the entry with this index. The oldest entries are dropped first: see `memory.rs`.
    pub(crate) fn drop_entry(&mut self, index: usize, dropped: &Arc<Entry>) {
        let Some(entry) = self.entries.get_mut(index) else { return };
        self.held = self.held.saturating_sub(entry.weight);
        *entry = dropped.clone();
        for open in self.open.iter_mut().filter(|open| **open == Some(index)) {
            *open = None;
        }
    }

    /// Forgets the keys of dropped entries, so that later events with the same keys begin new
    /// entries, unless the transcript keeps these keys.
    pub(crate) fn drop_keys(&mut self) {
        let entries = self.entries.clone();
        let is_kept = |index: usize| {
            entries.get(index).is_some_and(|entry| entry.content != EntryContent::Dropped)
        };
        if !self.keeps_keys {
            self.keys.retain(is_kept);
        }
        Arc::make_mut(&mut self.recent).retain(|index| is_kept(*index));
    }
}
