//! The interface of stores, and of lists of sessions.

pub(crate) mod entry_index;
pub(crate) mod memory_list;
pub(crate) mod memory_store;
pub(crate) mod stored_session;

use crate::{Event, EventBody, Summary, Timestamp};
use attache_protocol::method::Side;
use attache_protocol::v1::SessionId;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// The key of a stored session. The same id may exist twice: once stored by the agent, and once by
/// a client.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SessionKey {
    /// The side that stores it.
    pub side: Side,
    /// The session's agent, by the name in its `agentInfo`.
    pub agent: String,
    /// The session's id.
    pub session_id: SessionId,
}

/// A store of sessions. Each session has one log, which only grows.
///
/// These functions may block on a disk, but never on a peer. The functions of [`Log`] do not block.
/// All these functions may be called from any thread, and several processes may use one store at
/// the same time.
pub trait Store: Send + Sync + 'static {
    /// Creates an empty log and opens it for writing. Nothing is stored before its first
    /// [`Log::commit`].
    ///
    /// # Errors
    /// Returns [`StoreError::AlreadyExists`], or a disk error.
    fn create(&self, key: &SessionKey) -> Result<Box<dyn Log>, StoreError>;

    /// Opens the log of a stored session for writing.
    ///
    /// # Errors
    /// Returns [`StoreError::NotFound`], or [`StoreError::InUse`] while another writer, in this
    /// process or another, has the log open.
    fn open(&self, key: &SessionKey) -> Result<Box<dyn Log>, StoreError>;

    /// Creates a log `to` that begins with the events of `from` up to the number `at`, or with all
    /// committed events, and opens it as [`Store::create`] does. `from` may be in use. If `at` is
    /// inside a joined text, the copy ends before that text.
    ///
    /// # Errors
    /// Returns [`StoreError::NotFound`] if `from` is not stored, and [`StoreError::AlreadyExists`]
    /// if `to` is stored already.
    fn fork(
        &self,
        from: &SessionKey,
        at: Option<u64>,
        to: &SessionKey,
    ) -> Result<Box<dyn Log>, StoreError>;

    /// Reads the next events after the number `after`, in order: about [`READ_PAGE`] bytes and at
    /// least one event, or none at the end. No transaction or lock is held between two calls.
    ///
    /// Chunks of a text may be joined. A joined event has the number of its last chunk.
    ///
    /// # Errors
    /// Returns [`StoreError::NotFound`] if the session is not stored.
    fn read(&self, key: &SessionKey, after: u64) -> Result<Vec<Event>, StoreError>;

    /// Reads the events with these numbers, in the order of the numbers. A number without an event
    /// of its own, for example because its chunk was joined, is left out.
    ///
    /// # Errors
    /// Returns [`StoreError::NotFound`] if the session is not stored.
    fn read_numbered(&self, key: &SessionKey, numbers: &[u64]) -> Result<Vec<Event>, StoreError> {
        let mut events = Vec::new();
        for number in numbers {
            let page = self.read(key, number.saturating_sub(1))?;
            events.extend(page.into_iter().next().filter(|event| event.sequence == *number));
        }
        Ok(events)
    }

    /// Returns the last checkpoint of a session, see [`Log::keep_checkpoint`]. Returns `None` if
    /// there is none, or if it cannot be used: read the whole log then. A store without checkpoints
    /// always returns `None`.
    ///
    /// # Errors
    /// Returns [`StoreError::NotFound`] if the session is not stored.
    fn checkpoint(&self, _key: &SessionKey) -> Result<Option<Checkpoint>, StoreError> {
        Ok(None)
    }

    /// Returns the summary of one session.
    ///
    /// # Errors
    /// Returns [`StoreError::NotFound`] if the session is not stored.
    fn summary(&self, key: &SessionKey) -> Result<Summary, StoreError>;

    /// Lists sessions, the most recently active first. The list includes events that this process
    /// appended before the call, committed or not.
    ///
    /// A cursor continues where its page ended, whatever was written since. Only a session that was
    /// active in between may be listed twice or left out.
    ///
    /// # Errors
    /// Returns [`StoreError::InvalidCursor`] if the query's cursor did not come from this list.
    fn list(&self, query: &ListQuery) -> Result<ListPage, StoreError>;

    /// Deletes a session permanently. Deleting a session that does not exist succeeds.
    ///
    /// # Errors
    /// Returns [`StoreError::InUse`] while a writer has the session open.
    fn delete(&self, key: &SessionKey) -> Result<(), StoreError>;

    /// Appends one event, such as a title, to a session without a writer: [`Store::open`],
    /// [`Log::append`] and [`Log::commit`].
    ///
    /// # Errors
    /// Returns the errors of [`Store::open`]. The returned future fails with those of
    /// [`Log::commit`].
    fn append(
        &self,
        key: &SessionKey,
        at: Timestamp,
        body: EventBody,
    ) -> Result<Commit, StoreError> {
        let mut log = self.open(key)?;
        let sequence = self.summary(key)?.sequence + 1;
        log.append(&Event { sequence, at, body });
        let commit = log.commit();
        Ok(Box::pin(async move {
            let outcome = commit.await;
            // The session stays open until the event is stored.
            drop(log);
            outcome
        }))
    }
}

/// The state of a session at one of its events, as text that only its writer understands. The
/// session continues from it with the events after that one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The number of the event.
    pub sequence: u64,
    /// The state.
    pub body: String,
}

/// The approximate size of the events that one [`Store::read`] returns, in bytes.
pub const READ_PAGE: usize = 256 * 1024;

/// Completes once the stored data survives `kill -9` and power failures.
pub type Commit = Pin<Box<dyn Future<Output = Result<(), StoreError>> + Send>>;

/// The only writer of a session's log. Dropping it commits the rest and allows other writers. No
/// function of a log blocks.
pub trait Log: Send + Sync {
    /// Appends an event. Its number must be greater than the last one's. It is stored soon, at the
    /// latest with the next [`Log::commit`]. Only [`Log::commit`] reports failures, and tries again
    /// to store what could not be stored.
    fn append(&mut self, event: &Event);

    /// Stores everything that was appended before this call.
    ///
    /// # Errors
    /// The future returns an error if not everything could be stored. Even then, some of the
    /// appended events may be stored: the first ones, without a gap.
    fn commit(&self) -> Commit;

    /// How many appended bytes are not stored yet. If this is more than you want to hold in memory,
    /// wait for a [`Log::commit`].
    fn backlog(&self) -> usize;

    /// Returns whether the log has grown so much since its last checkpoint that another one is
    /// worth its cost.
    fn is_checkpoint_due(&self) -> bool {
        false
    }

    /// Stores `body` as the state of the session at the last appended event. It replaces the
    /// checkpoint before it, and is stored together with that event or soon after it. No function
    /// reports a failure, because the log has everything. `None` means that the session cannot have
    /// a checkpoint now; the next one is due later.
    fn keep_checkpoint(&mut self, _body: Option<String>) {}
}

/// A query for a list of sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListQuery {
    /// Only sessions of this side.
    pub side: Option<Side>,
    /// Only sessions of the agent with this name.
    pub agent: Option<String>,
    /// Only sessions with exactly this working directory.
    pub cwd: Option<String>,
    /// Whether to list archived sessions.
    pub archived: ArchivedFilter,
    /// Only used sessions: those for which [`Summary::is_used`] returns true, and those with a
    /// message.
    pub used: bool,
    /// Only sessions with this text in the title, ignoring case.
    pub title: Option<String>,
    /// Only sessions with this tag, see [`crate::Labels`].
    pub tag: Option<String>,
    /// Only sessions with this text in the title or in a message from either side, ignoring ASCII
    /// case.
    pub text: Option<String>,
    /// Where the page starts: [`ListPage::next`] of the page before it, from the same query.
    pub cursor: Option<String>,
    /// The largest number of sessions. 0 means 50.
    pub limit: usize,
}

/// Whether a list contains archived sessions, the others, or both.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ArchivedFilter {
    /// Only sessions that are not archived.
    #[default]
    Exclude,
    /// All sessions.
    Include,
    /// Only archived sessions.
    Only,
}

/// A page of a list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListPage {
    /// The sessions.
    pub sessions: Vec<ListEntry>,
    /// The cursor of the next page, if there is one.
    pub next: Option<String>,
}

/// One session of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct ListEntry {
    /// The session's key.
    pub key: SessionKey,
    /// The session's summary.
    pub summary: Summary,
}

/// Why a store operation failed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum StoreError {
    /// The session is not stored.
    NotFound(SessionKey),
    /// A session with this key is already stored.
    AlreadyExists(SessionKey),
    /// Another writer, in this process or another, has the session open.
    InUse(SessionKey),
    /// The cursor did not come from this list.
    InvalidCursor,
    /// A newer program wrote the store. The store was not changed.
    NewerVersion {
        /// The store's file.
        path: String,
        /// The version of its schema.
        version: u64,
    },
    /// The store, or a row in it, cannot be read. The store was not changed.
    Damaged {
        /// The store's file.
        path: String,
        /// What is damaged, and where.
        reason: String,
    },
    /// The disk is full.
    DiskFull {
        /// The store's file.
        path: String,
    },
    /// The store is read-only.
    ReadOnly {
        /// The store's file.
        path: String,
    },
    /// Another failure.
    Failed {
        /// One sentence that contains the path.
        message: String,
        /// The cause.
        source: Option<Arc<dyn std::error::Error + Send + Sync>>,
    },
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound(key) => write!(f, "no session {} is stored", key.session_id),
            Self::AlreadyExists(key) => write!(f, "a session {} is stored already", key.session_id),
            Self::InUse(key) => {
                write!(f, "the session {} is open elsewhere: close it there first", key.session_id)
            }
            Self::InvalidCursor => f.write_str(
                "the cursor is not valid for this list: list the sessions from the start",
            ),
            Self::NewerVersion { path, version } => {
                write!(
                    f,
                    "a newer program wrote the store {path} (version {version}): use that program"
                )
            }
            Self::Damaged { path, reason } => write!(f, "the store {path} is damaged: {reason}"),
            Self::DiskFull { path } => write!(f, "the disk is full: the store {path} cannot grow"),
            Self::ReadOnly { path } => {
                write!(f, "the store {path} cannot be written: it is read-only")
            }
            Self::Failed { message, .. } => f.write_str(message),
        }
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Failed { source: Some(source), .. } => Some(&**source),
            _ => None,
        }
    }
}
