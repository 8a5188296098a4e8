//! A lock that keeps other programs from changing the files of a folder.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::files::system::plain::open_lock;

/// How long another program may hold the lock.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long to wait before the lock is tried again.
const AGAIN: Duration = Duration::from_millis(10);

/// Locks the folder that contains a file. Dropping the returned value releases the lock. Programs
/// that do not use this lock are not affected. Blocks for at most two seconds while another program
/// holds the lock. On Windows a folder cannot be locked, so an empty file `.attache-lock` is
/// created in it and locked.
///
/// # Errors
/// Returns an error if the folder cannot be opened or locked, or if another program holds the lock
/// for too long.
pub fn lock_folder_of(file: &Path) -> io::Result<File> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = open_lock(folder.unwrap_or(Path::new(".")))?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        match folder.try_lock() {
            Ok(()) => return Ok(folder),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                let why = "another program locks its folder";
                return Err(io::Error::new(io::ErrorKind::TimedOut, why));
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(AGAIN),
        }
    }
}
