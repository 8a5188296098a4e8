//! A store of sessions in a SQLite file.

use crate::checkpoint;
use crate::file::connect::{Access, Readers, access_to_read, connect, connect_to_write};
use crate::file::failure::of_io;
use crate::file::lock::SessionLock;
use crate::file::schema::{self, Refusal};
use crate::file::store_files::{self, StoreFiles};
use crate::read::list;
use crate::read::log_reader;
use crate::repair;
use crate::repair::report::Repair;
use crate::write::live_log::{Beginning, Copy};
use crate::write::log::SqliteLog;
use crate::write::transaction::Faults;
use crate::write::writer::Writer;
use attache_session::{
    Checkpoint, Event, ListPage, ListQuery, Log, SessionKey, Store, StoreError, Summary,
};
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A store of sessions in a SQLite file. Clones share one store.
///
/// One thread writes. It ends when the last clone and the last log are dropped. The last drop waits
/// until everything is written.
#[derive(Clone)]
pub struct Sqlite {
    shared: Arc<Shared>,
}

struct Shared {
    place: Arc<StoreFiles>,
    readers: Readers,
    /// `None` if the file is read-only.
    writer: Option<Arc<Writer>>,
}

/// The canonical paths of the stores that this process has open.
static OPEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Stores are opened one at a time, because closing a file that is being created would free the
/// locks that another thread has on it.
static OPENING: Mutex<()> = Mutex::new(());

impl Sqlite {
    /// Opens the store at `path`. If it does not exist, the file and the folders above it are
    /// created for their owner only.
    ///
    /// If the file or its folder is read-only, the store can list and read sessions, and returns
    /// [`StoreError::ReadOnly`] for everything else.
    ///
    /// # Errors
    /// Returns [`StoreError::Damaged`] if the file is not a store, [`StoreError::NewerVersion`] if
    /// a newer version wrote it, or an error from the disk. A refused file is not changed.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::open_with(path.as_ref(), Faults::NONE)
    }

    /// Opens the store as [`Sqlite::open`] does, and repairs it if it is damaged. A store up to 4
    /// MiB is checked each time, and a larger one once a day.
    ///
    /// After a repair the store has the intact sessions, and the damaged file is beside it as
    /// `sessions.db.damaged-1` or the next free name.
    ///
    /// # Errors
    /// Returns the errors of [`Sqlite::open`], and [`StoreError::Damaged`] if another program has
    /// the damaged store open, or if nothing in the file comes from this program. The file is then
    /// unchanged.
    pub fn open_repaired(path: impl AsRef<Path>) -> Result<(Self, Option<Repair>), StoreError> {
        let path = path.as_ref();
        let damage = match Self::open(path) {
            Err(error @ StoreError::Damaged { .. }) => error,
            Err(error) => return Err(error),
            Ok(store) if store.is_read_only() => return Ok((store, None)),
            Ok(store) => match repair::look(&store.shared.place) {
                Ok(()) => return Ok((store, None)),
                Err(error) => error,
            },
        };
        let repair = {
            let _turn = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
            let place = StoreFiles::prepare(path)?;
            // Opening the file would also free the locks that this process has on it.
            if open_stores().contains(&place.file) {
                return Err(damage);
            }
            repair::repair(&place, damage)?
        };
        Self::open(path).map(|store| (store, Some(repair)))
    }

    /// Opens the user's store: [`Sqlite::open`] with [`Sqlite::user_path`].
    ///
    /// # Errors
    /// Returns the errors of these two functions.
    pub fn user() -> Result<Self, StoreError> {
        Self::open(Self::user_path()?)
    }

    /// Returns the path of the user's store: the environment variable `ATTACHE_STORE`, or else
    /// `attache/sessions.db` in the user's data directory.
    ///
    /// # Errors
    /// Returns [`StoreError::Failed`] if the user has no home directory.
    pub fn user_path() -> Result<PathBuf, StoreError> {
        store_files::of_user()
    }

    /// The canonical path of the store.
    pub fn path(&self) -> &Path {
        &self.shared.place.file
    }

    /// Returns whether the store is read-only.
    pub fn is_read_only(&self) -> bool {
        self.shared.writer.is_none()
    }

    /// For tests: opens a store that fails at the write steps in the range `steps`, counted from 0.
    /// Each insert, update and commit is a step.
    ///
    /// # Errors
    /// Returns the errors of [`Sqlite::open`].
    #[doc(hidden)]
    pub fn open_failing(path: impl AsRef<Path>, steps: Range<u64>) -> Result<Self, StoreError> {
        Self::open_with(path.as_ref(), Faults { steps, ..Faults::NONE })
    }

    /// For tests: opens a store on a disk that is full once the file has this many pages of 4 KiB.
    ///
    /// # Errors
    /// Returns the errors of [`Sqlite::open`].
    #[doc(hidden)]
    pub fn open_full_at(path: impl AsRef<Path>, pages: u32) -> Result<Self, StoreError> {
        Self::open_with(path.as_ref(), Faults { pages: Some(pages), ..Faults::NONE })
    }

    fn open_with(path: &Path, faults: Faults) -> Result<Self, StoreError> {
        let _turn = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
        let place = Arc::new(StoreFiles::prepare(path)?);
        refuse_what_is_no_store(&place)?;
        let (writer, access) = match connect_to_write(&place)? {
            Some(connection) => {
                faults.fill(&connection).map_err(|error| place.failure(error))?;
                let writer = Writer::start(Arc::clone(&place), connection, faults);
                let writer = writer.map_err(|error| of_io(&place.file, "start to write", error))?;
                (Some(Arc::new(writer)), Access::Read)
            }
            None => (None, access_to_read(&place)?),
        };
        let readers = Readers::new(StoreFiles::clone(&place), access);
        open_stores().push(place.file.clone());
        Ok(Self { shared: Arc::new(Shared { place, readers, writer }) })
    }
}

/// Checks the file under the assumption that no process changes it, so that another program's file
/// is not touched and no file is created beside it.
fn refuse_what_is_no_store(place: &StoreFiles) -> Result<(), StoreError> {
    if place.is_too_short() {
        return Err(place.damaged("it is not a database; name another file".to_owned()));
    }
    let look = || match connect(place, Access::ReadStill) {
        Ok(connection) => schema::check(place, &connection),
        Err(error) => Err(Refusal::Certain(place.failure(error))),
    };
    match look() {
        // Another process is changing the file. Only opening it in the usual way shows whether it
        // is a store.
        Err(Refusal::Perhaps(_)) if place.is_in_use() => Ok(()),
        // No process is changing the file now, but one may have changed it during the check: check
        // again.
        Err(Refusal::Perhaps(_)) => Ok(look()?),
        outcome => Ok(outcome?),
    }
}

fn open_stores() -> MutexGuard<'static, Vec<PathBuf>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Shared {
    fn drop(&mut self) {
        let mut open = open_stores();
        if let Some(index) = open.iter().position(|file| *file == self.place.file) {
            open.swap_remove(index);
        }
    }
}

impl Shared {
    fn writer(&self) -> Result<&Arc<Writer>, StoreError> {
        self.writer.as_ref().ok_or_else(|| StoreError::ReadOnly { path: self.place.shown() })
    }

    fn flush(&self) {
        if let Some(writer) = &self.writer {
            writer.flush();
        }
    }

    fn find(&self, key: &SessionKey) -> Result<(i64, Summary), StoreError> {
        self.readers.read(|connection| log_reader::find(&self.place, connection, key))
    }

    /// Locks the session, if it is free.
    fn lock(&self, key: &SessionKey) -> Result<Option<SessionLock>, StoreError> {
        let writer = self.writer()?;
        let take = || {
            SessionLock::take(&self.place.locks, key)
                .map_err(|error| of_io(&self.place.file, "be locked", error))
        };
        if let Some(lock) = take()? {
            return Ok(Some(lock));
        }
        // A log that was just dropped in this process frees its lock once it is written.
        writer.flush();
        take()
    }

    /// Locks a session that does not exist yet.
    fn lock_new(&self, key: &SessionKey) -> Result<SessionLock, StoreError> {
        // If the lock is held, its holder is creating the session.
        let lock = self.lock(key)?.ok_or_else(|| StoreError::AlreadyExists(key.clone()))?;
        match self.find(key) {
            Err(StoreError::NotFound(_)) => Ok(lock),
            Ok(_) => Err(StoreError::AlreadyExists(key.clone())),
            Err(error) => Err(error),
        }
    }

    fn log(&self, beginning: Beginning) -> Result<Box<dyn Log>, StoreError> {
        Ok(Box::new(SqliteLog::new(Arc::clone(self.writer()?), beginning)))
    }
}

impl Store for Sqlite {
    fn create(&self, key: &SessionKey) -> Result<Box<dyn Log>, StoreError> {
        let lock = self.shared.lock_new(key)?;
        let summary = Summary::default();
        let (key, since) = (key.clone(), 0);
        self.shared.log(Beginning { key, lock, id: None, origin: None, summary, since })
    }

    fn open(&self, key: &SessionKey) -> Result<Box<dyn Log>, StoreError> {
        self.shared.flush();
        self.shared.find(key)?;
        let lock = self.shared.lock(key)?.ok_or_else(|| StoreError::InUse(key.clone()))?;
        // From here on, no other process changes the session.
        let (id, summary) = self.shared.find(key)?;
        let last = summary.sequence;
        let since = self
            .shared
            .readers
            .read(|connection| Ok(checkpoint::bytes_since(connection, id, last)))?;
        let (key, id) = (key.clone(), Some(id));
        self.shared.log(Beginning { key, lock, id, origin: None, summary, since })
    }

    fn fork(
        &self,
        from: &SessionKey,
        at: Option<u64>,
        to: &SessionKey,
    ) -> Result<Box<dyn Log>, StoreError> {
        let (id, whole) = self.shared.find(from)?;
        let lock = self.shared.lock_new(to)?;
        let summary = match at.filter(|at| *at < whole.sequence) {
            None => whole,
            Some(at) => self.shared.readers.read(|connection| {
                log_reader::summary_up_to(&self.shared.place, connection, id, at)
            })?,
        };
        let last = summary.sequence;
        let origin = (last > 0).then(|| Copy { key: from.clone(), id, last });
        // A fork has no checkpoint.
        let since = usize::try_from(last).unwrap_or(usize::MAX).saturating_mul(checkpoint::CHUNK);
        self.shared.log(Beginning { key: to.clone(), lock, id: None, origin, summary, since })
    }

    fn read(&self, key: &SessionKey, after: u64) -> Result<Vec<Event>, StoreError> {
        let place = &self.shared.place;
        self.shared.readers.read(|connection| {
            let (id, _) = log_reader::find(place, connection, key)?;
            log_reader::page(place, connection, id, after)
        })
    }

    fn read_numbered(&self, key: &SessionKey, numbers: &[u64]) -> Result<Vec<Event>, StoreError> {
        let place = &self.shared.place;
        self.shared.readers.read(|connection| {
            let (id, _) = log_reader::find(place, connection, key)?;
            log_reader::numbered(place, connection, id, numbers)
        })
    }

    fn checkpoint(&self, key: &SessionKey) -> Result<Option<Checkpoint>, StoreError> {
        let place = &self.shared.place;
        self.shared.readers.read(|connection| {
            let (id, summary) = log_reader::find(place, connection, key)?;
            Ok(checkpoint::find(connection, id, summary.sequence))
        })
    }

    fn summary(&self, key: &SessionKey) -> Result<Summary, StoreError> {
        self.shared.flush();
        Ok(self.shared.find(key)?.1)
    }

    fn list(&self, query: &ListQuery) -> Result<ListPage, StoreError> {
        self.shared.flush();
        self.shared.readers.read(|connection| list::page(&self.shared.place, connection, query))
    }

    fn delete(&self, key: &SessionKey) -> Result<(), StoreError> {
        let writer = self.shared.writer()?;
        let lock = self.shared.lock(key)?.ok_or_else(|| StoreError::InUse(key.clone()))?;
        match self.shared.find(key) {
            Ok((id, _)) => writer.delete(id, lock),
            Err(StoreError::NotFound(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

impl fmt::Debug for Sqlite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sqlite").field("path", &self.shared.place.file).finish_non_exhaustive()
    }
}
