//! The state of a session as text, so that the session can be opened without reading the start of
//! its log.

mod entries;
mod parts;

use crate::event::json::object::{EVENT_VERSION, EventError, Object};
use crate::transcript::Transcript;
use crate::transcript::entry::dropped_entry;
use crate::{Entry, EntryContent, Session, Timestamp, TurnState};
use attache_protocol::Writer;
use attache_protocol::v1::{CompactionStatus, SessionId};

/// The version of the text. A text of another version, or with events of another version, is
/// refused, and the log is read instead.
const VERSION: u64 = 1;

/// The approximate size of the entries at the end of the transcript that a checkpoint has, in
/// bytes.
const TAIL: usize = 256 * 1024;

/// The largest checkpoint, in bytes. The log of a session with more state is read instead.
const LIMIT: usize = 8 << 20;

impl Session {
    /// Returns the session as text, which [`Session::restore`] reads. A session restored from it
    /// continues with the events after [`Session::sequence`].
    ///
    /// The text has everything except old entries of the transcript, which become
    /// [`EntryContent::Dropped`] as under a memory limit. It has the entries at the end, and
    /// whichever earlier ones can be expected to change: the latest message of each author, tool
    /// calls that are not settled, plans, running compactions and subagents.
    ///
    /// Returns `None` if the text would be very large, or if a part of a message was dropped.
    pub fn checkpoint(&self) -> Option<String> {
        self.checkpoint_with(TAIL)
    }

    /// For tests: [`Session::checkpoint`] with `tail` bytes of entries.
    #[doc(hidden)]
    pub fn checkpoint_with(&self, tail: usize) -> Option<String> {
        let mut shortened = self.clone();
        shortened.transcript.keep_tail(tail);
        let text = shortened.encode()?;
        (text.len() <= LIMIT).then_some(text)
    }

    /// Returns the session `id` as [`Session::checkpoint`] saw it.
    ///
    /// # Errors
    /// Returns an error if the text is not a checkpoint of this version and of this session. Read
    /// the log then.
    pub fn restore(id: impl Into<SessionId>, text: &str) -> Result<Self, EventError> {
        let object = Object::of(text, "")?;
        let version: u64 = object.must("v")?;
        let id = id.into();
        if version != VERSION {
            return Err(EventError::Newer { version });
        }
        if object.must::<u64>("events")? != EVENT_VERSION {
            return Err(EventError::Missing("events of this version"));
        }
        if object.must::<SessionId>("id")? != id {
            return Err(EventError::Missing("id of this session"));
        }
        let changed_at: Vec<u64> = object.must("changedAt")?;
        let mut session = Self::new(id.clone());
        session.sequence = object.must("sequence")?;
        session.generation = object.must("generation")?;
        session.last_activity = Timestamp(object.must("lastActivity")?);
        session.cwd = object.must::<String>("cwd")?.into();
        session.additional_directories =
            object.must::<Vec<String>>("additionalDirectories")?.into();
        session.archived = object.must("archived")?;
        session.changed_at =
            changed_at.try_into().map_err(|_| EventError::Missing("changedAt of every part"))?;
        if let Some(since) = object.may("turnSince")? {
            session.turn = TurnState::Running { since: Timestamp(since) };
        }
        parts::read(&mut session, &object)?;
        session.transcript = entries::read(&object, session.sequence)?;
        Ok(session)
    }

    fn encode(&self) -> Option<String> {
        // Every field is named, so that a new one cannot be forgotten.
        let Self {
            id,
            sequence,
            generation,
            last_activity,
            cwd,
            additional_directories,
            transcript,
            commands: _,
            commands_of_kinds: _,
            config: _,
            info: _,
            archived,
            usage: _,
            permissions: _,
            terminals: _,
            background: _,
            turn,
            last_outcome: _,
            changed_at,
            memory_limit: _,
        } = self;
        let entries = entries::encode(transcript)?;
        let mut out = Vec::new();
        Writer::new(&mut out).object(|object| {
            object.member("v", &VERSION);
            object.member("events", &EVENT_VERSION);
            object.member("id", id);
            object.member("sequence", sequence);
            object.member("generation", generation);
            object.member("lastActivity", &last_activity.0);
            object.key("cwd").string(cwd);
            object.member("additionalDirectories", &additional_directories.to_vec());
            object.member("archived", archived);
            object.member("changedAt", &changed_at.to_vec());
            if let TurnState::Running { since } = turn {
                object.member("turnSince", &since.0);
            }
            parts::write(self, object);
            object.key("transcript").raw(&entries);
        });
        // Writers append only whole UTF-8 strings.
        String::from_utf8(out).ok()
    }
}

impl Transcript {
    /// Drops the entries before the last `tail` bytes, except those that may still change.
    fn keep_tail(&mut self, tail: usize) {
        let mut held = 0;
        let last = self.entries.iter().rev().take_while(|entry| {
            held += entry.weight;
            held <= tail
        });
        let first = (self.entries.len() - last.count()).max(self.truncated_before);
        let dropped = dropped_entry();
        for index in 0..first {
            let goes = self.get(index).is_some_and(|entry| {
                entry.content != EntryContent::Dropped
                    && !self.open.contains(&Some(index))
                    && !may_change(entry)
            });
            if goes {
                self.drop_entry(index, &dropped);
            }
        }
        self.truncated_before = first;
        self.drop_keys();
    }
}

/// Whether an entry can be expected to change.
fn may_change(entry: &Entry) -> bool {
    match &entry.content {
        EntryContent::ToolCall(call) => !call.is_settled(),
        EntryContent::Plan { .. } | EntryContent::Subagent(_) => true,
        EntryContent::Compaction(compaction) => compaction.status == CompactionStatus::InProgress,
        _ => false,
    }
}
