//! One checkpoint of a folder at a time, also between processes.

use crate::snapshot::content_id::ContentId;
use crate::take::budget::Budget;
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long to wait for a checkpoint that another process takes.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long to wait between two attempts.
const AGAIN: Duration = Duration::from_millis(5);

/// The number of files that are locked. Two folders may share one.
const FILES: u8 = 64;

/// Waits until no other process takes a checkpoint of one of these folders: of two checkpoints that
/// are taken at once, it is not known which one read a file first, so that changes between them
/// would be shared. Returns the locked files, which are released when they are closed.
///
/// Gives up after a short time, when the prompt is sent, and when taking the checkpoint is stopped.
/// The checkpoint is then taken without the lock.
pub(crate) fn lock_folders(store: &Path, roots: &[PathBuf], budget: &Budget) -> Vec<File> {
    let deadline = Instant::now() + PATIENCE;
    // Every process locks the files in the same order.
    let numbers: BTreeSet<u8> = roots.iter().map(|root| number(root)).collect();
    let lock = |number| lock(&store.join(format!("take-{number}.lock")), deadline, budget);
    numbers.into_iter().filter_map(lock).collect()
}

fn number(root: &Path) -> u8 {
    let hash = ContentId::of(root.as_os_str().as_bytes());
    hash.as_bytes().first().copied().unwrap_or_default() % FILES
}

fn lock(path: &Path, deadline: Instant, budget: &Budget) -> Option<File> {
    let mut options = OpenOptions::new();
    let file = options.write(true).create(true).truncate(false).mode(0o600).open(path).ok()?;
    loop {
        match file.try_lock() {
            Ok(()) => return Some(file),
            Err(TryLockError::Error(_)) => return None,
            Err(TryLockError::WouldBlock) => {
                if Instant::now() >= deadline || budget.is_over() || budget.sent().is_some() {
                    return None;
                }
                std::thread::sleep(AGAIN);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{lock_folders, number};
    use crate::take::budget::Budget;
    use std::path::{Path, PathBuf};
    use std::sync::mpsc;
    use std::time::{Duration, SystemTime};

    #[test]
    fn the_second_waits_for_the_first() {
        let store = tempfile::tempdir().unwrap();
        let roots = [PathBuf::from("/one"), PathBuf::from("/two")];
        let budget = Budget::lasting(Duration::from_secs(60));
        let first = lock_folders(store.path(), &roots, &budget);
        assert_eq!(first.len(), 2);
        let (sender, order) = mpsc::channel();
        std::thread::scope(|scope| {
            let (also, budget) = (sender.clone(), &budget);
            let (store, roots) = (store.path(), &roots);
            scope.spawn(move || {
                let second = lock_folders(store, &roots[..1], budget);
                also.send("second").unwrap();
                assert_eq!(second.len(), 1);
            });
            sender.send("first").unwrap();
            drop(first);
        });
        assert_eq!(order.try_iter().collect::<Vec<_>>(), ["first", "second"]);
    }

    #[test]
    fn it_does_not_wait_once_the_prompt_is_sent_or_the_checkpoint_is_stopped() {
        let store = tempfile::tempdir().unwrap();
        let roots = [PathBuf::from("/one")];
        let budget = Budget::lasting(Duration::from_secs(60));
        let _first = lock_folders(store.path(), &roots, &budget);
        let sent = budget.clone().after_prompt(SystemTime::now());
        assert!(lock_folders(store.path(), &roots, &sent).is_empty());
        budget.control.stop();
        assert!(lock_folders(store.path(), &roots, &budget).is_empty());
        assert_ne!(number(Path::new("/one")), number(Path::new("/two")));
    }
}
