//! Child sessions, and messages between sessions, as the transcript of a session shows them.

use crate::block::{append, blocks_weight, joined};
use crate::keys::Key;
use crate::transcript::{Now, Transcript};
use crate::{Block, Change, EntryContent, Parts};
use attache_protocol::v1::{
    MessageId, SessionId, SessionMessage, SessionMessageChunk, StateUpdate,
    SubagentSessionCapabilities, SubagentUpdate,
};
use attache_protocol::{Meta, Patch};

/// A child session as its parent announces it. What the child says and does is a session of its
/// own.
#[derive(Debug, Clone, PartialEq)]
pub struct Subagent {
    /// The child.
    pub session_id: SessionId,
    /// Its title.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// All that may be done to it; `None` is nothing (SUB-02).
    pub capabilities: Option<SubagentSessionCapabilities>,
    /// What it does now; `None` is not known, which is not idle.
    pub state: Option<StateUpdate>,
    /// Where it works; `None` is where its parent does.
    pub cwd: Option<String>,
    /// Its further roots; `None` are those of its parent.
    pub additional_directories: Option<Vec<String>>,
    /// Data of extensions.
    pub meta: Option<Meta>,
}

/// A message between sessions. Any of its fields may come late.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageBetweenSessions {
    /// Which message.
    pub id: MessageId,
    /// The session that sent it.
    pub sender_session_id: Option<SessionId>,
    /// The session that got it.
    pub recipient_session_id: Option<SessionId>,
    /// The same message in the sender's transcript.
    pub sender_message_id: Option<MessageId>,
    /// The same message in the recipient's transcript.
    pub recipient_message_id: Option<MessageId>,
    /// What it says.
    pub blocks: Vec<Block>,
    /// Data of extensions.
    pub meta: Option<Meta>,
}

impl Transcript {
    /// Announces or patches a child (SUB-01).
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
