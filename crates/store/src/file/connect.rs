//! SQLite connections to the file, and a small pool of read-only ones.

use crate::file::failure::code;
use crate::file::schema;
use crate::file::store_files::StoreFiles;
use attache_session::StoreError;
use rusqlite::config::DbConfig;
use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a connection waits for another process that writes.
const PATIENCE: Duration = Duration::from_secs(10);

/// The pause between two attempts, for steps in which SQLite itself does not wait.
const PAUSE: Duration = Duration::from_millis(10);

/// How many idle connections are kept for readers.
const IDLE: usize = 4;

/// Commits are durable: each one is flushed to the disk, and on macOS also out of the disk's own
/// cache. Deleted data is overwritten. The write-ahead log is shortened after a checkpoint.
const WRITING: &str = "
    PRAGMA synchronous = FULL;
    PRAGMA fullfsync = ON;
    PRAGMA checkpoint_fullfsync = ON;
    PRAGMA secure_delete = ON;
    PRAGMA journal_size_limit = 16777216;
";

/// How to access the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Read and write.
    Write,
    /// Read, while other processes may write.
    Read,
    /// Read a file that no process can write: no file is created beside the store, and the
    /// write-ahead log is not read.
    ReadStill,
}

pub(crate) fn connect(place: &StoreFiles, access: Access) -> rusqlite::Result<Connection> {
    let connection = match access {
        Access::Write => {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            Connection::open_with_flags(&place.file, flags)?
        }
        Access::Read => {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            Connection::open_with_flags(&place.file, flags)?
        }
        Access::ReadStill => {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
                | OpenFlags::SQLITE_OPEN_NO_MUTEX
                | OpenFlags::SQLITE_OPEN_URI;
            Connection::open_with_flags(format!("{}?immutable=1", uri(&place.file)), flags)?
        }
    };
    connection.busy_timeout(PATIENCE)?;
    if access == Access::Write {
        connection.execute_batch(WRITING)?;
    }
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_prepared_statement_cache_capacity(32);
    // `contains(text, part)` ignores case, as Unicode defines it. `part` is already in lower case.
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("contains", 2, flags, |call| {
        let text = call.get_raw(0).as_str_or_null().unwrap_or_default().unwrap_or_default();
        let part = call.get_raw(1).as_str_or_null().unwrap_or_default().unwrap_or_default();
        Ok(text.to_lowercase().contains(part))
    })?;
    Ok(connection)
}

/// Returns the connection that writes, after migrating the tables. Returns `None` if the file or
/// its folder is read-only.
pub(crate) fn connect_to_write(place: &StoreFiles) -> Result<Option<Connection>, StoreError> {
    let opened = connect(place, Access::Write).and_then(|connection| {
        // Closing this connection must not change a file that turns out to be a store of a newer
        // version.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        // The first query opens the files beside the store.
        connection.pragma_query_value(None, "schema_version", |_| Ok(()))?;
        Ok((connection.is_readonly("main")?, connection))
    });
    let mut connection = match opened {
        Ok((false, connection)) => connection,
        Ok((true, _)) => return Ok(None),
        Err(error) if is_read_only(&error) => return Ok(None),
        Err(error) => return Err(place.failure(error)),
    };
    schema::check(place, &connection)?;
    match prepare(&mut connection) {
        Ok(()) => Ok(Some(connection)),
        Err(error) if is_read_only(&error) => Ok(None),
        // A migration step does not fit the existing tables.
        Err(error) if code(&error) == Some(ErrorCode::Unknown) => {
            Err(place.damaged(error.to_string()))
        }
        Err(error) => Err(place.failure(error)),
    }
}

fn prepare(connection: &mut Connection) -> rusqlite::Result<()> {
    schema::migrate(connection, schema::STEPS)?;
    // The write-ahead log is switched on only now, because a crash before the tables exist must
    // leave a file that is empty or has a complete header, and no other files beside it.
    switch_to_wal(connection)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    Ok(())
}

/// Switches the write-ahead log on. SQLite itself does not wait here: the switch turns a read lock
/// into a write lock, and SQLite fails such a step at once while another process writes.
fn switch_to_wal(connection: &Connection) -> rusqlite::Result<()> {
    let begun = Instant::now();
    loop {
        match connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(())) {
            Err(error)
                if code(&error) == Some(ErrorCode::DatabaseBusy) && begun.elapsed() < PATIENCE =>
            {
                std::thread::sleep(PAUSE);
            }
            switched => return switched,
        }
    }
}

fn is_read_only(error: &rusqlite::Error) -> bool {
    matches!(
        code(error),
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied)
    )
}

/// Returns how to read a file that cannot be written.
pub(crate) fn access_to_read(place: &StoreFiles) -> Result<Access, StoreError> {
    let tried = |access| {
        let connection = connect(place, access)?;
        connection.query_row("SELECT count(*) FROM (SELECT 1 FROM session LIMIT 1)", [], |_| Ok(()))
    };
    match tried(Access::Read) {
        Ok(()) => Ok(Access::Read),
        Err(error) if is_read_only(&error) && place.has_written_ahead() => {
            Err(StoreError::Failed {
                message: format!(
                    "the latest data of the store {} cannot be read from a read-only folder: copy the folder, or make it writable",
                    place.shown()
                ),
                source: Some(std::sync::Arc::new(error)),
            })
        }
        Err(error) if is_read_only(&error) => tried(Access::ReadStill)
            .map(|()| Access::ReadStill)
            .map_err(|error| place.failure(error)),
        Err(error) => Err(place.failure(error)),
    }
}

/// Returns `path` as a SQLite URI.
fn uri(path: &Path) -> String {
    let mut uri = String::from(if cfg!(windows) { "file:///" } else { "file:" });
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'\\' if cfg!(windows) => uri.push('/'),
            b'/' | b':' | b'.' | b'-' | b'_' => uri.push(char::from(*byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(*byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// Read-only connections. Each is used by one caller at a time.
pub(crate) struct Readers {
    place: StoreFiles,
    access: Access,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(crate) fn new(place: StoreFiles, access: Access) -> Self {
        Self { place, access, idle: Mutex::new(Vec::new()) }
    }

    /// Reads with a connection that no other caller uses at the same time.
    pub(crate) fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let idle = self.idle().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => connect(&self.place, self.access).map_err(|error| self.place.failure(error))?,
        };
        let outcome = read(&connection);
        let mut idle = self.idle();
        if idle.len() < IDLE && connection.is_autocommit() {
            idle.push(connection);
        }
        outcome
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
