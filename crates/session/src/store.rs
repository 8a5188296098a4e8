//! Where logs are kept: what a store must do, for those who write one.

pub(crate) mod memory_list;
pub(crate) mod memory_store;

use crate::{Event, EventBody, Summary, Timestamp};
use attache_protocol::method::Side;
use attache_protocol::v1::SessionId;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// Names a stored session. The same id may be there twice: once as its agent keeps it, once as a
/// client does.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SessionKey {
    /// The side that keeps it.
    pub side: Side,
    /// The agent whose session it is, by the name in its `agentInfo`.
    pub agent: String,
    /// The session's id.
    pub session_id: SessionId,
}

/// A store of sessions: one log for each, which only grows.
///
/// The functions here may block on a disk, but never on a peer; those of [`Log`] do not block. All
/// of them may be called from any thread at any time, and several processes may use one store at
/// once.
pub trait Store: Send + Sync + 'static {
    /// A new, empty log, which this caller alone writes. Nothing of it is stored before its first
    /// [`Log::commit`].
    ///
    /// # Errors
    /// [`StoreError::AlreadyExists`], and what [`StoreError`] calls the world's.
    fn create(&self, key: &SessionKey) -> Result<Box<dyn Log>, StoreError>;

    /// The log of a stored session, which this caller alone writes from now on.
    ///
    /// # Errors
    /// [`StoreError::NotFound`]; [`StoreError::InUse`] while anybody else writes it, in this process
    /// or another.
    fn open(&self, key: &SessionKey) -> Result<Box<dyn Log>, StoreError>;

    /// A new log `to` that begins with the events of `from` up to the number `at`, with `None` all
    /// that are committed; open as if by [`Store::create`]. `from` may be in use. An `at` inside of
    /// a text that came in pieces cuts before the stored piece that holds it.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] for `from`, [`StoreError::AlreadyExists`] for `to`.
    fn fork(
        &self,
        from: &SessionKey,
        at: Option<u64>,
        to: &SessionKey,
    ) -> Result<Box<dyn Log>, StoreError>;

    /// The next events behind the number `after`, in order, about [`READ_PAGE`] bytes of them and
    /// at least one; none at the end. No transaction and no lock is held between two calls, so a
    /// reader may take its time.
    ///
    /// Texts that came in pieces may be joined: a joined event has the number of its last piece.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    fn read(&self, key: &SessionKey, after: u64) -> Result<Vec<Event>, StoreError>;

    /// What a list says of one session.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    fn summary(&self, key: &SessionKey) -> Result<Summary, StoreError>;

    /// Sessions, the one in which something happened last first. What was appended in this process
    /// before the call counts, committed or not.
    ///
    /// A cursor goes on where its page ended, whatever was written since: no session comes twice
    /// unless something happened in it, and none is left out in which nothing did.
    ///
    /// # Errors
    /// [`StoreError::InvalidCursor`].
    fn list(&self, query: &ListQuery) -> Result<ListPage, StoreError>;

    /// Deletes a session for good. One that is not there counts as deleted (DEL-03).
    ///
    /// # Errors
    /// [`StoreError::InUse`] while anybody writes it.
    fn delete(&self, key: &SessionKey) -> Result<(), StoreError>;

    /// Appends one event to a session that nobody else writes, such as a title: [`Store::open`],
    /// [`Log::append`] and [`Log::commit`].
    ///
    /// # Errors
    /// As [`Store::open`]; the returned future fails as [`Log::commit`].
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
            // The session stays ours until this is stored.
            drop(log);
            outcome
        }))
    }
}

/// About how many bytes of events one [`Store::read`] gives.
pub const READ_PAGE: usize = 256 * 1024;

/// Done once what was promised is stored so that `kill -9` and a power cut cannot take it.
pub type Commit = Pin<Box<dyn Future<Output = Result<(), StoreError>> + Send>>;

/// The one live writer of a session's log. Dropped, it commits what is left and lets others write;
/// it never blocks.
pub trait Log: Send + Sync {
    /// Appends an event, whose number must be greater than that of the one before. It is stored
    /// soon, at the latest with the next [`Log::commit`]. A failure is told by that and by no other
    /// function; what could not be stored is tried again then.
    fn append(&mut self, event: &Event);

    /// Stores everything appended before this call.
    ///
    /// # Errors
    /// The future says why not all of it could be stored: then a part of it may be, in order and
    /// from the beginning.
    fn commit(&self) -> Commit;

    /// How many bytes were appended and are not stored yet. Who appends waits for a [`Log::commit`]
    /// when this is more than it wants to hold in memory.
    fn backlog(&self) -> usize;
}

/// Which sessions to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListQuery {
    /// Only of this side.
    pub side: Option<Side>,
    /// Only of the agent with this name.
    pub agent: Option<String>,
    /// Only with exactly this working directory (LIST-03).
    pub cwd: Option<String>,
    /// Whether archived ones count.
    pub archived: Archived,
    /// Only those with something to come back to: see [`Summary::is_used`]; something that either
    /// side said counts too.
    pub used: bool,
    /// Only with this text in the title; letters of either case.
    pub title: Option<String>,
    /// Only with this tag, see [`crate::Labels`].
    pub tag: Option<String>,
    /// Only with this text in the title or in what was said by either side; letters of either case,
    /// where they are ASCII.
    pub text: Option<String>,
    /// Where to go on: [`ListPage::next`] of a page of the same query.
    pub cursor: Option<String>,
    /// At most so many sessions; 0 stands for 50.
    pub limit: usize,
}

/// Whether archived sessions are listed (ARCH-04).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Archived {
    /// Only those that are not archived.
    #[default]
    Exclude,
    /// All.
    Include,
    /// Only archived ones.
    Only,
}

/// A page of a list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListPage {
    /// The sessions.
    pub sessions: Vec<Listed>,
    /// The cursor of the next page; `None` if there is none (LIST-05).
    pub next: Option<String>,
}

/// One session of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// Which session.
    pub key: SessionKey,
    /// What is said of it.
    pub summary: Summary,
}

/// Why a store could not do what was asked.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum StoreError {
    /// The caller's: no such session is stored.
    NotFound(SessionKey),
    /// The caller's: a session with this key is stored already.
    AlreadyExists(SessionKey),
    /// The user's: somebody else, in this process or another, has the session open.
    InUse(SessionKey),
    /// The peer's: the cursor is none that this list gave.
    InvalidCursor,
    /// The world's: a newer program wrote the store. It was not touched.
    NewerVersion {
        /// The store's file.
        path: String,
        /// The version of its schema.
        version: u64,
    },
    /// The world's: the store, or a row of it, cannot be read. It was not touched.
    Damaged {
        /// The store's file.
        path: String,
        /// What is wrong, and where.
        reason: String,
    },
    /// The world's: the disk is full.
    DiskFull {
        /// The store's file.
        path: String,
    },
    /// The world's: the store cannot be written.
    ReadOnly {
        /// The store's file.
        path: String,
    },
    /// The world's: another failure.
    Failed {
        /// One sentence, with the path.
        message: String,
        /// What caused it.
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
            Self::InvalidCursor => f.write_str("the cursor is none that this list gave"),
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
