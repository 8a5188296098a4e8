//! Repairs a damaged store: intact sessions go into a new file, and the damaged file stays beside
//! it.

mod pages;
mod rebuild;
pub(crate) mod report;

use crate::file::connect::{Access, connect};
use crate::file::failure::of_io;
use crate::file::store_files::{StoreFiles, beside};
use crate::read::log_reader;
use crate::read::row::{LISTED, listed};
use attache_session::StoreError;
use pages::Pages;
use report::Repair;
use rusqlite::{Connection, TransactionBehavior};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A store up to this size in bytes is checked whenever it is opened. A larger one is checked once
/// a day, because a check reads the whole file.
const SMALL: u64 = 4 << 20;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Checks the store for damage: always the tables that all sessions share, and also all events if a
/// thorough check is due.
///
/// # Errors
/// Returns [`StoreError::Damaged`] with the first damage found. A file that cannot be checked,
/// because it is busy or read-only, counts as intact.
pub(crate) fn look(place: &StoreFiles) -> Result<(), StoreError> {
    match looked(place) {
        Err(error @ StoreError::Damaged { .. }) => Err(error),
        _ => Ok(()),
    }
}

fn looked(place: &StoreFiles) -> Result<(), StoreError> {
    let failed = |error| place.failure(error);
    let mut connection = connect(place, Access::Write).map_err(failed)?;
    let thorough = is_due(place);
    let tables: &[&str] = match thorough {
        true => &["session", "info", "tag", "event"],
        false => &["session", "info", "tag"],
    };
    for table in tables {
        let sql = format!("PRAGMA integrity_check({table})");
        let found: String = connection.query_row(&sql, [], |row| row.get(0)).map_err(failed)?;
        if found != "ok" {
            return Err(place.damaged(found));
        }
    }
    rows(place, &connection, thorough)?;
    try_writing(&mut connection).map_err(failed)?;
    if thorough {
        // If the stamp cannot be written, the only effect is that the next check comes sooner.
        let _ = File::create(stamp(place));
    }
    Ok(())
}

/// Reads every session's row and, in a thorough check, all events.
fn rows(place: &StoreFiles, connection: &Connection, thorough: bool) -> Result<(), StoreError> {
    let failed = |error| place.failure(error);
    let mut statement = connection.prepare(LISTED).map_err(failed)?;
    let mut rows = statement.query([]).map_err(failed)?;
    while let Some(row) = rows.next().map_err(failed)? {
        listed(place, row)?;
    }
    if thorough {
        let mut statement = connection.prepare("SELECT last, body FROM event").map_err(failed)?;
        let mut rows = statement.query([]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            log_reader::event(place, 0, row)?;
        }
    }
    Ok(())
}

/// Writes a session and an event as usual and rolls them back.
fn try_writing(connection: &mut Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::from_secs(1))?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(
        "INSERT INTO session (side, agent, session_id, sequence, began_at, updated_at, archived, prompts, cwd,
            additional_directories) VALUES ('agent', '', '', 0, 0, 9223372036854775807, 0, 0, '', '[]');
        INSERT INTO event SELECT max(id), 1, 1, 0, '' FROM session;
        INSERT INTO info SELECT max(id), 'x', 0, NULL, NULL FROM session;
        INSERT INTO tag SELECT '', max(id) FROM session;",
    )?;
    transaction.rollback()
}

/// Returns whether it is time to read the whole store.
fn is_due(place: &StoreFiles) -> bool {
    let small = fs::metadata(&place.file).is_ok_and(|found| found.len() <= SMALL);
    let looked = fs::metadata(stamp(place)).and_then(|found| found.modified());
    small || !looked.is_ok_and(|at| SystemTime::now().duration_since(at).is_ok_and(|age| age < DAY))
}

fn stamp(place: &StoreFiles) -> PathBuf {
    beside(&place.file, "-checked")
}

/// Replaces a damaged store with a new file that contains everything that is intact.
///
/// # Errors
/// Returns `error` if another program has the store open, or if nothing in the file comes from this
/// program; another error if the new file cannot be made. The store is then unchanged.
pub(crate) fn repair(place: &StoreFiles, error: StoreError) -> Result<Repair, StoreError> {
    if is_open_elsewhere(place) {
        return Err(place
            .damaged("another program has it open: end that program and start again".to_owned()));
    }
    let failed = |error| of_io(&place.file, "be repaired", error);
    let (wal, new) = (beside(&place.file, "-wal"), beside(&place.file, "-repaired"));
    let pages = Pages::open(&place.file, &wal).map_err(failed)?;
    let emptied = remove(&new).and_then(|()| crate::file::make::make_empty(&new));
    emptied.map_err(failed)?;
    let rebuilt = rebuild::rebuild(place, pages, &new);
    let mut repair = match rebuilt {
        Ok(repair) if repair.is_of_ours() || place.is_of_ours() => repair,
        rebuilt => {
            let _ = remove(&new);
            return Err(rebuilt.err().unwrap_or(error));
        }
    };
    repair.damaged = exchange(place, &wal, &new).map_err(failed)?;
    repair.file.clone_from(&place.file);
    Ok(repair)
}

/// Renames the damaged files and moves the new one into their place. The damaged file has both
/// names until the new one has the old name, so a crash in between loses nothing.
fn exchange(place: &StoreFiles, wal: &Path, new: &Path) -> io::Result<PathBuf> {
    File::options().write(true).open(new)?.sync_all()?;
    let aside = free_name(&place.file);
    keep(&place.file, &aside)?;
    if wal.exists() {
        keep(wal, &beside(&aside, "-wal"))?;
    }
    remove(wal)?;
    remove(&beside(&place.file, "-shm"))?;
    fs::rename(new, &place.file)?;
    Ok(aside)
}

fn keep(file: &Path, aside: &Path) -> io::Result<()> {
    fs::hard_link(file, aside).or_else(|_| fs::copy(file, aside).map(drop))
}

fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns the first free name of the form `sessions.db.damaged-1`.
fn free_name(file: &Path) -> PathBuf {
    let names = (1_u64..).map(|number| beside(file, &format!(".damaged-{number}")));
    let mut free = names.filter(|name| !name.exists());
    free.next().unwrap_or_else(|| beside(file, ".damaged"))
}

/// Returns whether another process has the store open. SQLite then holds a lock on the shared
/// memory beside the file.
#[cfg(unix)]
fn is_open_elsewhere(place: &StoreFiles) -> bool {
    use std::os::fd::AsRawFd as _;
    /// The offset of SQLite's locks in the shared memory.
    const LOCKS: libc::off_t = 120;
    let Ok(file) = File::options().read(true).write(true).open(beside(&place.file, "-shm")) else {
        return false;
    };
    // SAFETY: all fields of `flock` are integers, for which zero is valid.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = libc::F_WRLCK as libc::c_short;
    lock.l_whence = libc::SEEK_SET as libc::c_short;
    (lock.l_start, lock.l_len) = (LOCKS, 9);
    // SAFETY: the descriptor is open, and F_GETLK writes only into this flock.
    let asked = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GETLK, &raw mut lock) };
    asked == 0 && lock.l_type != libc::F_UNLCK as libc::c_short
}

#[cfg(not(unix))]
fn is_open_elsewhere(_: &StoreFiles) -> bool {
    false
}

impl Repair {
    /// Returns whether something was found that only this program writes.
    fn is_of_ours(&self) -> bool {
        self.kept > 0 || !self.left_out.is_empty()
    }
}
