//! The file of a store: a SQLite database in a private folder.

use crate::store::error::StoreError;
use crate::store::record_tables;
use crate::store::tombstones;
use attache_host::lock_folder_of;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use std::fs::{self, DirBuilder, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Marks the file as a store of checkpoints in its header ("Atck").
const APPLICATION_ID: i32 = 0x4174_636b;

/// The version of the tables. A store of an earlier version is set aside: only development versions
/// of this program made one.
const VERSION: i64 = 2;

/// How long a connection waits for another process that writes.
const PATIENCE: Duration = Duration::from_secs(20);

/// The name of the database in the folder.
const FILE: &str = "checkpoints.db";

/// The file that marks the database as damaged, so that the next start sets it aside.
const DAMAGED: &str = "damaged";

/// How the name of a set-aside database begins.
const SET_ASIDE: &str = "damaged-";

/// For a new file. The largest pages hold small contents with the smallest gaps: 5 % of the file
/// for contents of up to 20 KB, against 17 % with pages of 4 KiB and 12 % with 32 KiB.
const NEW_FILE: &str = "
    PRAGMA page_size = 65536;
    PRAGMA auto_vacuum = INCREMENTAL;
";

/// A power failure may lose the last checkpoints, but a killed process loses nothing.
const SETTINGS: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA secure_delete = ON;
    PRAGMA journal_size_limit = 0;
    PRAGMA wal_autocheckpoint = 64;
    PRAGMA cache_size = -2048;
";

/// The table of `past_activities`. It names no owner. Each row is one folder of an activity between
/// two checkpoints.
const PAST_ACTIVITY: &str = "
    CREATE TABLE past_activity (
        since INTEGER NOT NULL, until INTEGER NOT NULL, root BLOB NOT NULL);
";

const TABLES: &str = "
    CREATE TABLE fact (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE content (
        id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, size INTEGER NOT NULL,
        encoding INTEGER NOT NULL, data BLOB NOT NULL);
    CREATE TABLE manifest (
        id INTEGER PRIMARY KEY AUTOINCREMENT, base INTEGER, entries INTEGER NOT NULL,
        whole INTEGER NOT NULL, above INTEGER NOT NULL, data BLOB NOT NULL);
    CREATE INDEX manifest_base ON manifest (base);
    CREATE TABLE checkpoint (
        id INTEGER PRIMARY KEY, at INTEGER NOT NULL, owner TEXT NOT NULL, reason TEXT NOT NULL,
        turn INTEGER, position INTEGER, title TEXT NOT NULL, complete INTEGER NOT NULL,
        files INTEGER NOT NULL, changed INTEGER NOT NULL, ignored INTEGER NOT NULL,
        lacking INTEGER NOT NULL, lacks BLOB NOT NULL);
    CREATE INDEX checkpoint_owner ON checkpoint (owner);
    CREATE TABLE covered (
        checkpoint INTEGER NOT NULL, place INTEGER NOT NULL, root BLOB NOT NULL,
        manifest INTEGER NOT NULL, PRIMARY KEY (checkpoint, place)) WITHOUT ROWID;
    CREATE INDEX covered_manifest ON covered (manifest);
";

/// The open database. One connection writes, another reads while it does.
#[derive(Debug)]
pub(crate) struct Database {
    folder: PathBuf,
    writer: Mutex<Connection>,
    reader: Mutex<Connection>,
    set_aside: Option<PathBuf>,
}

impl Database {
    /// Opens the database, and creates it and its folder if they do not exist. A database that is
    /// damaged or of an earlier version is renamed, and a new one takes its place.
    pub(crate) fn open(folder: &Path) -> Result<Self, StoreError> {
        let failed = |error| of_io(folder, error);
        let folder = std::path::absolute(folder).map_err(failed)?;
        DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(failed)?;
        let folder = fs::canonicalize(&folder).map_err(failed)?;
        make_private(&folder).map_err(failed)?;
        let file = folder.join(FILE);
        let lock = lock_folder_of(&file).map_err(failed)?;
        let mut set_aside = None;
        if folder.join(DAMAGED).exists() {
            set_aside = set_aside_in(&folder).map_err(failed)?;
        }
        let writer = match open_to_write(&file) {
            Err(error) if is_damage(&error) => {
                set_aside = set_aside_in(&folder).map_err(failed)?;
                open_to_write(&file).map_err(|error| of_sqlite(&folder, &error))?
            }
            opened => opened.map_err(|error| of_sqlite(&folder, &error))?,
        };
        let Some(writer) = writer else { return Err(StoreError::Newer { path: folder }) };
        let reader = connect(&file, false).map_err(|error| of_sqlite(&folder, &error))?;
        drop(lock);
        Ok(Self { folder, writer: Mutex::new(writer), reader: Mutex::new(reader), set_aside })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The damaged or earlier database that was set aside when this one was opened.
    pub(crate) fn set_aside(&self) -> Option<&Path> {
        self.set_aside.as_deref()
    }

    /// Runs a write transaction. If `change` fails, nothing changes.
    pub(crate) fn write<T>(
        &self,
        change: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut connection = lock(&self.writer);
        let failed = |error| self.failure(&error);
        let transaction =
            connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let value = change(&transaction)?;
        transaction.commit().map_err(failed)?;
        Ok(value)
    }

    /// Reads, all from the same state.
    pub(crate) fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut connection = lock(&self.reader);
        let transaction = connection.transaction().map_err(|error| self.failure(&error))?;
        read(&transaction)
    }

    /// Runs a query in which no transaction is needed.
    pub(crate) fn query<T>(
        &self,
        query: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        query(&lock(&self.reader)).map_err(|error| self.failure(&error))
    }

    /// Gives free pages back to the disk, and empties the write-ahead log, which may still have
    /// deleted contents.
    pub(crate) fn shrink(&self) -> Result<(), StoreError> {
        let connection = lock(&self.writer);
        let shrunk = || -> rusqlite::Result<()> {
            let mut vacuum = connection.prepare("PRAGMA incremental_vacuum")?;
            let mut rows = vacuum.query([])?;
            while rows.next()?.is_some() {}
            drop(rows);
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        };
        shrunk().map_err(|error| self.failure(&error))
    }

    /// Converts an error of SQLite. Damage is remembered for the next start.
    pub(crate) fn failure(&self, error: &rusqlite::Error) -> StoreError {
        if is_damage(error) {
            self.remember_damage();
        }
        of_sqlite(&self.folder, error)
    }

    /// Returns the error for damage that this crate found, and remembers it for the next start.
    pub(crate) fn damage(&self, reason: impl Into<String>) -> StoreError {
        StoreError::Damaged { path: self.folder.clone(), reason: reason.into() }
    }

    fn remember_damage(&self) {
        let mut options = OpenOptions::new();
        // If the mark cannot be written, the next start finds the damage itself, or works.
        let _ = options
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(self.folder.join(DAMAGED));
    }

    /// Deletes databases that were set aside. They may have contents of deleted checkpoints.
    pub(crate) fn remove_set_aside(&self) -> Result<(), StoreError> {
        let failed = |error| of_io(&self.folder, error);
        for entry in fs::read_dir(&self.folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if entry.file_name().as_encoded_bytes().starts_with(SET_ASIDE.as_bytes()) {
                fs::remove_file(entry.path()).map_err(failed)?;
            }
        }
        Ok(())
    }
}

fn lock(connection: &Mutex<Connection>) -> MutexGuard<'_, Connection> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}

fn make_private(folder: &Path) -> io::Result<()> {
    match fs::metadata(folder)?.permissions().mode() & 0o077 {
        0 => Ok(()),
        _ => fs::set_permissions(folder, fs::Permissions::from_mode(0o700)),
    }
}

fn connect(file: &Path, is_new: bool) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(PATIENCE)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    if is_new {
        connection.execute_batch(NEW_FILE)?;
    }
    connection.execute_batch(SETTINGS)?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(connection)
}

/// Opens the database and creates its tables. Returns `None` if it is of a newer version.
fn open_to_write(file: &Path) -> rusqlite::Result<Option<Connection>> {
    let mut options = OpenOptions::new();
    match options.write(true).create_new(true).mode(0o600).open(file) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(rusqlite::Error::ToSqlConversionFailure(Box::new(error)));
        }
        _ => {}
    }
    // Before this connection may change anything, the version must be known.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let probe = Connection::open_with_flags(file, flags)?;
    probe.busy_timeout(PATIENCE)?;
    probe.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    let number = |name| probe.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (version, application) = (number("user_version")?, number("application_id")?);
    let tables: i64 =
        probe.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if application == i64::from(APPLICATION_ID) && version > VERSION {
        return Ok(None);
    }
    let is_new = tables == 0 && version == 0;
    if !is_new && (application != i64::from(APPLICATION_ID) || version != VERSION) {
        return Err(not_a_store());
    }
    drop(probe);
    let mut connection = connect(file, is_new)?;
    if is_new {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute_batch(TABLES)?;
        transaction.execute_batch(record_tables::TABLES)?;
        transaction.execute_batch(PAST_ACTIVITY)?;
        transaction.execute_batch(tombstones::TABLE)?;
        let identity = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let identity = identity.as_nanos() as i64 ^ i64::from(std::process::id());
        let facts = "INSERT INTO fact VALUES ('generation', 0), ('identity', ?)";
        transaction.execute(facts, [identity])?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
        transaction.commit()?;
    }
    Ok(Some(connection))
}

fn not_a_store() -> rusqlite::Error {
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_NOTADB);
    rusqlite::Error::SqliteFailure(code, Some("it is no store of checkpoints".to_owned()))
}

/// Renames the database and the files beside it.
fn set_aside_in(folder: &Path) -> io::Result<Option<PathBuf>> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let to = |ending: &str| folder.join(format!("{SET_ASIDE}{now}.db{ending}"));
    for ending in ["-wal", "-shm"] {
        match fs::rename(folder.join(format!("{FILE}{ending}")), to(ending)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    let renamed = match fs::rename(folder.join(FILE), to("")) {
        Ok(()) => Some(to("")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    match fs::remove_file(folder.join(DAMAGED)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(renamed),
    }
}

fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(code(error), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

fn code(error: &rusqlite::Error) -> Option<ErrorCode> {
    match error {
        rusqlite::Error::SqlInputError { error, .. } => Some(error.code),
        error => error.sqlite_error_code(),
    }
}

/// Converts an error of the system.
pub(crate) fn of_io(path: &Path, error: io::Error) -> StoreError {
    let path = path.to_owned();
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            StoreError::ReadOnly { path }
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            StoreError::DiskFull { path }
        }
        io::ErrorKind::TimedOut => StoreError::Busy { path },
        _ => StoreError::Failed { path, reason: error.to_string() },
    }
}

fn of_sqlite(path: &Path, error: &rusqlite::Error) -> StoreError {
    let write_failed = error
        .sqlite_error()
        .is_some_and(|error| error.extended_code == rusqlite::ffi::SQLITE_IOERR_WRITE);
    let path = path.to_owned();
    match code(error) {
        // SQLite reports an exceeded quota or file size limit as an error of writing.
        Some(ErrorCode::SystemIoFailure) if write_failed => StoreError::DiskFull { path },
        Some(ErrorCode::DiskFull) => StoreError::DiskFull { path },
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
            StoreError::ReadOnly { path }
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            StoreError::Damaged { path, reason: error.to_string() }
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy { path },
        _ => match error {
            rusqlite::Error::ToSqlConversionFailure(source) => {
                match source.downcast_ref::<io::Error>().map(io::Error::kind) {
                    Some(kind) => of_io(&path, kind.into()),
                    None => StoreError::Failed { path, reason: error.to_string() },
                }
            }
            _ => StoreError::Failed { path, reason: error.to_string() },
        },
    }
}
