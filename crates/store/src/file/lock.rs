//! The lock of one session: a system lock on a file, which the system frees when the process ends.

use crate::file::store_files::make_folder;
use attache_protocol::method::Side;
use attache_session::SessionKey;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// The lock of the only writer of a session. Dropping it frees the session.
#[derive(Debug)]
pub(crate) struct SessionLock {
    path: PathBuf,
    file: File,
}

impl SessionLock {
    /// Locks a session. Returns `None` while another writer holds the lock.
    pub(crate) fn take(folder: &Path, key: &SessionKey) -> io::Result<Option<Self>> {
        let path = folder.join(name(key));
        loop {
            let file = match open(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    make_folder(folder)?;
                    open(&path)?
                }
                file => file?,
            };
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
            // The previous holder removed the file between opening and locking it, so this lock is
            // useless. The next attempt creates a new file.
            if is_at(&file, &path)? {
                return Ok(Some(Self { path, file }));
            }
        }
    }
}

impl Drop for SessionLock {
    fn drop(&mut self) {
        // The file is removed while the lock is held: a process that opened the file earlier
        // notices that with `is_at`. On other systems, an open file cannot be removed, so it stays.
        if cfg!(unix) {
            let _ = fs::remove_file(&self.path);
        }
        // Closing frees the lock only once child processes that inherited the file have ended.
        let _ = self.file.unlock();
    }
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Returns whether `file` is the file at `path` now.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let ours = file.metadata()?;
    match fs::metadata(path) {
        Ok(there) => Ok((ours.dev(), ours.ino()) == (there.dev(), there.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

/// Returns the file name for a session: a hash, because the peer chose the id. Every version of
/// this program must compute the same name.
fn name(key: &SessionKey) -> String {
    let side: &[u8] = match key.side {
        Side::Agent => b"agent",
        Side::Client => b"client",
    };
    let mut hash = FNV_BASIS;
    for part in [side, key.agent.as_bytes(), key.session_id.as_str().as_bytes()] {
        hash = fnv(fnv(hash, &(part.len() as u64).to_le_bytes()), part);
    }
    format!("{hash:032x}")
}

/// The start value of a 128-bit FNV-1a hash.
pub(crate) const FNV_BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;

/// Continues a 128-bit FNV-1a hash.
pub(crate) fn fnv(hash: u128, bytes: &[u8]) -> u128 {
    const PRIME: u128 = 0x0100_0000_0000_0000_0000_013b;
    bytes.iter().fold(hash, |hash, byte| (hash ^ u128::from(*byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(agent: &str, session: &str) -> SessionKey {
        SessionKey { side: Side::Agent, agent: agent.to_owned(), session_id: session.into() }
    }

    #[test]
    fn the_hash_matches_the_published_values() {
        assert_eq!(fnv(FNV_BASIS, b"a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
    }

    #[test]
    fn names_are_safe_and_differ_where_keys_differ() {
        let long = "x".repeat(100_000);
        let keys = [
            key("a", "bc"),
            key("ab", "c"),
            key("", "../../etc/passwd"),
            key("a\0", "b"),
            key("a", &long),
        ];
        let names: std::collections::HashSet<_> = keys.iter().map(name).collect();
        assert_eq!(names.len(), keys.len());
        assert!(
            names
                .iter()
                .all(|name| name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit()))
        );
    }

    #[test]
    fn a_lock_is_held_once_and_its_file_is_removed_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let locks = folder.path().join("locks");
        let lock = SessionLock::take(&locks, &key("a", "s")).unwrap().unwrap();
        assert!(SessionLock::take(&locks, &key("a", "s")).unwrap().is_none());
        assert!(SessionLock::take(&locks, &key("a", "t")).unwrap().is_some());
        drop(lock);
        assert!(SessionLock::take(&locks, &key("a", "s")).unwrap().is_some());
        if cfg!(unix) {
            assert_eq!(fs::read_dir(&locks).unwrap().count(), 0);
        }
    }

    /// Without comparing the file with the one at the path, two threads would hold the lock at the
    /// same time sooner or later.
    #[test]
    fn a_lock_is_never_held_twice_by_many_threads() {
        use std::sync::atomic::{AtomicU32, Ordering};
        let folder = tempfile::tempdir().unwrap();
        let holders = AtomicU32::new(0);
        let taken = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while taken.load(Ordering::SeqCst) < 300 {
                        if let Some(lock) =
                            SessionLock::take(folder.path(), &key("a", "s")).unwrap()
                        {
                            assert_eq!(
                                holders.fetch_add(1, Ordering::SeqCst),
                                0,
                                "two threads hold the lock"
                            );
                            taken.fetch_add(1, Ordering::SeqCst);
                            std::thread::yield_now();
                            holders.fetch_sub(1, Ordering::SeqCst);
                            drop(lock);
                        }
                    }
                });
            }
        });
    }
}
