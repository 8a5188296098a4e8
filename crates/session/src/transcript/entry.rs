//! One entry of a transcript.

use super::block::Block;
use super::compaction::Compaction;
use super::subagent::{MessageBetweenSessions, Subagent};
use crate::event::{MessageAuthor, PlanContent};
use crate::timestamp::Timestamp;
use crate::tool_call::ToolCall;
use attache_protocol::Raw;
use attache_protocol::v1::{MessageId, Notice, PlanId};
use std::sync::Arc;

/// One entry of the transcript. Its first event determines its place, which never changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The content of the entry.
    pub content: EntryContent,
    /// The number of the event that began it.
    pub began_at: u64,
    /// The number of the last event that changed it.
    pub changed_at: u64,
    /// When it began.
    pub at: Timestamp,
    /// When the tool call ended. `None` for other entries, and while the call has not ended.
    pub ended_at: Option<Timestamp>,
    /// The number of the last event that did more than append text to it.
    pub(crate) reshaped_at: u64,
    /// The approximate memory that its content takes, in bytes.
    pub(crate) weight: usize,
}

/// The content of an entry.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum EntryContent {
    /// A message, including a user's prompt.
    Message {
        /// The author.
        author: MessageAuthor,
        /// The id of the message, if the agent sent one.
        id: Option<MessageId>,
        /// The content of the message.
        blocks: Vec<Block>,
    },
    /// A tool call with all its patches applied.
    ToolCall(Box<ToolCall>),
    /// A plan, at the place where it was first sent.
    Plan {
        /// The plan's id. `None` identifies the only plan of agents that do not use plan ids.
        id: Option<PlanId>,
        /// The latest content of the plan. `None` once the plan is removed.
        content: Option<PlanContent>,
    },
    /// A compaction, at the place where it began. Earlier entries are kept.
    Compaction(Box<Compaction>),
    /// A notice. It is not part of the history.
    Notice(Box<Notice>),
    /// A child session, at the place where it was announced.
    Subagent(Box<Subagent>),
    /// A message between sessions.
    BetweenSessions(Box<MessageBetweenSessions>),
    /// An update of a kind that this version does not know.
    Unknown {
        /// The value of `sessionUpdate`.
        name: String,
        /// The whole update.
        raw: Raw,
    },
    /// An old entry that is no longer in memory. The log still has it.
    Dropped,
}

impl Entry {
    /// The plain text of a message. Empty for other entries.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for block in self.blocks() {
            if let Block::Text(text) = block {
                out.extend(text.pieces());
            }
        }
        out
    }

    /// The blocks of a message. Empty for other entries.
    pub fn blocks(&self) -> &[Block] {
        match &self.content {
            EntryContent::Message { blocks, .. } => blocks,
            _ => &[],
        }
    }

    /// Records whether and when the tool call ended, after a change at this time.
    pub(crate) fn note_end(&mut self, at: Timestamp) {
        let is_settled = match &self.content {
            EntryContent::ToolCall(call) => call.is_settled(),
            _ => false,
        };
        self.ended_at = is_settled.then(|| self.ended_at.unwrap_or(at));
    }

    /// The text of a message after its first `start` bytes. `None` if some of it was dropped.
    pub(crate) fn text_after(&self, start: usize) -> Option<String> {
        let mut out = String::new();
        let mut begin = 0;
        for block in self.blocks() {
            if let Block::Text(text) = block {
                let start = start.saturating_sub(begin);
                if start < text.dropped() {
                    return None;
                }
                out.push_str(&text.suffix(start));
                begin += text.len();
            }
        }
        Some(out)
    }
}

/// Returns the entry that replaces dropped ones.
pub(crate) fn dropped_entry() -> Arc<Entry> {
    Arc::new(Entry {
        content: EntryContent::Dropped,
        began_at: 0,
        changed_at: 0,
        at: Timestamp::default(),
        ended_at: None,
        reshaped_at: 0,
        weight: 0,
    })
}

/// The number and time of the event being applied.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Now {
    pub(crate) sequence: u64,
    pub(crate) at: Timestamp,
}
