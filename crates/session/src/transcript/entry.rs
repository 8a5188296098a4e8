//! One entry of a transcript.

use super::block::Block;
use super::compaction::Compaction;
use super::subagent::{MessageBetweenSessions, Subagent};
use crate::event::{MessageAuthor, PlanContent};
use crate::timestamp::Timestamp;
use attache_protocol::Raw;
use attache_protocol::v1::{MessageId, Notice, PlanId, ToolCall};

/// One entry of the transcript. Its place is that of its first event and never changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// What it is.
    pub content: EntryContent,
    /// The number of the event that began it.
    pub began_at: u64,
    /// The number of the event that changed it last.
    pub changed_at: u64,
    /// When it began.
    pub at: Timestamp,
    /// The number of the event that last changed more than the end of its text.
    pub(crate) reshaped_at: u64,
    /// How much memory its content takes, roughly, in bytes.
    pub(crate) weight: usize,
}

/// What an entry is.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum EntryContent {
    /// A message; a person's prompt is one too.
    Message {
        /// Who speaks.
        author: MessageAuthor,
        /// Its id, if the agent gave one.
        id: Option<MessageId>,
        /// What is said.
        blocks: Vec<Block>,
    },
    /// A tool call with all its patches applied.
    ToolCall(Box<ToolCall>),
    /// A plan where it was first stated.
    Plan {
        /// Which plan; `None` is the one plan of agents that know no ids.
        id: Option<PlanId>,
        /// Its latest content; `None` once it is dropped.
        content: Option<PlanContent>,
    },
    /// A compaction where it began (COMP-07). What stands before it stays (COMP-11).
    Compaction(Box<Compaction>),
    /// A notice; no history (NOTE-02).
    Notice(Box<Notice>),
    /// A child session where it was announced.
    Subagent(Box<Subagent>),
    /// A message between sessions.
    BetweenSessions(Box<MessageBetweenSessions>),
    /// An update that this version has no name for.
    Unknown {
        /// The value of `sessionUpdate`.
        name: String,
        /// The whole update.
        raw: Raw,
    },
    /// An old entry that is no longer held in memory; the log still has it.
    Dropped,
}

impl Entry {
    /// The plain text of a message, joined; empty for other entries.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for block in self.blocks() {
            if let Block::Text(text) = block {
                out.extend(text.pieces());
            }
        }
        out
    }

    /// The blocks of a message; none for other entries.
    pub fn blocks(&self) -> &[Block] {
        match &self.content {
            EntryContent::Message { blocks, .. } => blocks,
            _ => &[],
        }
    }

    /// What follows the first `start` bytes of the message's text; `None` if some of that was
    /// dropped.
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

/// The number and time of the event being applied.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Now {
    pub(crate) sequence: u64,
    pub(crate) at: Timestamp,
}
