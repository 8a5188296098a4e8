//! A store that is not there yet.

use crate::place::{beside, make_folder};
use crate::schema;
use rusqlite::{Connection, OpenFlags};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

/// Makes the store `file` and the folders above it, for the user only; nothing if another process
/// is faster.
///
/// It gets its tables under another name, is brought to the disk once, and then gets its own, so
/// that nobody ever finds a part of it and no step of SQLite waits for the disk. Where that does
/// not work, as on a disk that knows no second names, it is empty: whoever opens it gives it the
/// tables.
///
/// # Errors
/// Nothing can be made there.
pub(crate) fn make(file: &Path) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        make_folder(folder)?;
    }
    let draft = beside(file, "-new");
    // One that is there is another process's, or was left by one that was killed.
    if make_empty(&draft).is_ok() {
        if fill(&draft).is_ok() {
            // A name that is taken by now is not taken away.
            let _ = fs::hard_link(&draft, file);
        }
        // Left behind it does no harm.
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
