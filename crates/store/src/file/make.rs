//! Creating a store.

use crate::file::failure::of_io;
use crate::file::schema;
use crate::file::store_files::{StoreFiles, beside, make_folder};
use attache_session::StoreError;
use rusqlite::{Connection, OpenFlags};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

impl StoreFiles {
    /// Returns the files of the store at `path`. Creates the store and the folders above it if they
    /// do not exist.
    pub(crate) fn prepare(path: &Path) -> Result<Self, StoreError> {
        let failed = |doing: &str, error| of_io(path, doing, error);
        let absolute = std::path::absolute(path).map_err(|error| failed("be found", error))?;
        match fs::metadata(&absolute) {
            Ok(found) if found.is_file() => {}
            Ok(_) => {
                let message = format!("the store {} is not a file: name a file", path.display());
                return Err(StoreError::Failed { message, source: None });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                make(&absolute).map_err(|error| failed("be made", error))?;
            }
            Err(error) => return Err(failed("be found", error)),
        }
        // Not all programs understand the long form of paths on Windows.
        let file = if cfg!(unix) { fs::canonicalize(&absolute) } else { Ok(absolute) };
        let file = file.map_err(|error| failed("be found", error))?;
        let locks = beside(&file, "-locks");
        Ok(Self { file, locks })
    }
}

/// Creates the store `file` and the folders above it for the user only. Does nothing if another
/// process was faster.
///
/// The tables are created under another name and synced once; then the file gets its own name. No
/// process therefore ever sees an incomplete file, and no step of SQLite waits for the disk. If the
/// file system has no hard links, the file stays empty, and the process that opens it creates the
/// tables.
///
/// # Errors
/// Returns an error if the file or a folder cannot be created.
fn make(file: &Path) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        make_folder(folder)?;
    }
    let draft = beside(file, "-new");
    // An existing draft belongs to another process, or is left over from one that was killed.
    if make_empty(&draft).is_ok() {
        if fill(&draft).is_ok() {
            // If the name is taken by now, the existing file stays.
            let _ = fs::hard_link(&draft, file);
        }
        // A leftover draft does no harm.
        let _ = fs::remove_file(&draft);
    }
    match make_empty(file) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && file.exists() => Ok(()),
        made => made,
    }
}

pub(crate) fn make_empty(file: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file).map(drop)
}

fn fill(draft: &Path) -> io::Result<()> {
    let tables = || {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(draft, flags)?;
        connection.execute_batch("PRAGMA synchronous = OFF")?;
        schema::migrate(&mut connection, schema::STEPS)?;
        connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
        connection.close().map_err(|(_, error)| error)
    };
    tables().map_err(io::Error::other)?;
    File::options().write(true).open(draft)?.sync_all()
}
