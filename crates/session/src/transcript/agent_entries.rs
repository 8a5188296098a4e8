//! Turns compactions, subagents and messages between sessions into entries.

use super::Transcript;
use super::block::{append, blocks_weight, joined};
use super::compaction::Compaction;
use super::entry::{EntryContent, Now};
use super::keys::Key;
use super::subagent::{MessageBetweenSessions, Subagent};
use crate::change::{Change, Parts};
use attache_protocol::Patch;
use attache_protocol::v1::{
    CompactionId, CompactionStatus, CompactionSummaryChunk, CompactionUpdate, MessageId,
    SessionMessage, SessionMessageChunk, SubagentUpdate,
};

impl Transcript {
    /// Applies an update. The first event with an id determines the place of its entry (COMP-07).
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

    /// Appends to a summary. With an unknown id, begins a compaction with the status `in_progress`
    /// (X7).
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

    /// Announces or patches a child session (SUB-01).
    pub(crate) fn subagent(&mut self, now: Now, update: &SubagentUpdate) -> Change {
        let key = Key::Subagent(update.session_id.clone());
        let index = self.find(&key).unwrap_or_else(|| {
            let subagent = Subagent {
                session_id: update.session_id.clone(),
                title: None,
                description: None,
                capabilities: None,
                state: None,
                cwd: None,
                additional_directories: None,
                meta: None,
            };
            self.begin(now, Some(key), EntryContent::Subagent(Box::new(subagent)), 0)
        });
        self.replace(now, index, Parts::SUBAGENT, |entry| {
            if let EntryContent::Subagent(subagent) = entry {
                update.title.clone().apply(&mut subagent.title);
                update.description.clone().apply(&mut subagent.description);
                update.capabilities.clone().apply(&mut subagent.capabilities);
                update.state.clone().apply(&mut subagent.state);
                update.cwd.clone().apply(&mut subagent.cwd);
                update.additional_directories.clone().apply(&mut subagent.additional_directories);
                update.meta.clone().apply(&mut subagent.meta);
            }
            0
        })
    }

    /// Creates or patches a message between sessions.
    pub(crate) fn session_message(&mut self, now: Now, update: &SessionMessage) -> Change {
        self.patch_session_message(now, &update.message_id, |message| {
            update.sender_session_id.clone().apply(&mut message.sender_session_id);
            update.recipient_session_id.clone().apply(&mut message.recipient_session_id);
            update.sender_message_id.clone().apply(&mut message.sender_message_id);
            update.recipient_message_id.clone().apply(&mut message.recipient_message_id);
            match &update.content {
                Patch::Keep => {}
                Patch::Clear => message.blocks.clear(),
                Patch::Set(content) => message.blocks = joined(content),
            }
            update.meta.clone().apply(&mut message.meta);
        })
    }

    /// Appends to a message between sessions.
    pub(crate) fn session_message_chunk(
        &mut self,
        now: Now,
        chunk: &SessionMessageChunk,
    ) -> Change {
        self.patch_session_message(now, &chunk.message_id, |message| {
            append(&mut message.blocks, &chunk.content);
        })
    }

    fn patch_session_message(
        &mut self,
        now: Now,
        id: &MessageId,
        patch: impl FnOnce(&mut MessageBetweenSessions),
    ) -> Change {
        let key = Key::BetweenSessions(id.clone());
        let index = self.find(&key).unwrap_or_else(|| {
            let message = MessageBetweenSessions {
                id: id.clone(),
                sender_session_id: None,
                recipient_session_id: None,
                sender_message_id: None,
                recipient_message_id: None,
                blocks: Vec::new(),
                meta: None,
            };
            self.begin(now, Some(key), EntryContent::BetweenSessions(Box::new(message)), 0)
        });
        self.replace(now, index, Parts::SUBAGENT, |entry| {
            let EntryContent::BetweenSessions(message) = entry else { return 0 };
            patch(message);
            blocks_weight(&message.blocks)
        })
    }
}
