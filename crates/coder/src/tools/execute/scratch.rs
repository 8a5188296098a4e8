//! The session's scratch folder, for temporary files of its commands and for their long outputs.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::TempDir;

/// The prefix of the folder's name.
const NAME: &str = "attache-session-";

/// The name of the lock file, which is locked while the folder's session is open.
const LOCK: &str = "lock";

/// The name of the lock file until it is locked.
const NEW_LOCK: &str = "lock.new";

/// The maximum number of outputs that a session keeps. The oldest is removed first.
const MAX_OUTPUTS: usize = 16;

/// The maximum number of folders of dead sessions to remove at once.
const MAX_REMOVED: usize = 16;

/// A private folder, outside the session's folders. It is created when it is first needed, and
/// removed with the session. If the session's process was killed, the next session that has
/// permission removes the folder.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    made: Mutex<Option<CreatedFolder>>,
}

#[derive(Debug)]
struct CreatedFolder {
    _folder: TempDir,
    /// The canonical path of the folder.
    path: PathBuf,
    _lock: File,
    outputs: VecDeque<PathBuf>,
    count: u64,
}

/// The paths for a command's files.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    /// The folder for temporary files.
    pub(super) temporary: PathBuf,
    /// The folder for outputs.
    pub(super) outputs: PathBuf,
    /// The file for the next output, which does not exist yet.
    pub(super) output: PathBuf,
}

impl Scratch {
    /// Returns the folders, and a file for the next output. Blocks on disk I/O.
    pub(crate) fn places(&self) -> io::Result<Places> {
        let mut made = self.made();
        if made.as_ref().is_none_or(|made| !made.path.exists()) {
            *made = Some(CreatedFolder::new(&std::env::temp_dir())?);
        }
        let made = made.as_mut().ok_or_else(|| io::Error::other("the folder does not exist"))?;
        Ok(made.places())
    }

    /// Returns a file for the next output, which does not exist yet. Blocks on disk I/O.
    pub(crate) fn next_output(&self) -> io::Result<PathBuf> {
        self.places().map(|places| places.output)
    }

    /// The path of the folder, if it exists.
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        self.made().as_ref().map(|made| made.path.clone())
    }

    /// Returns `path` if it is the file of a kept output.
    pub(crate) fn output(&self, path: &str) -> Option<PathBuf> {
        let made = self.made();
        let mut outputs = made.as_ref()?.outputs.iter();
        let output = outputs.find(|output| output.as_path() == Path::new(path));
        output.filter(|output| output.is_file()).cloned()
    }

    fn made(&self) -> MutexGuard<'_, Option<CreatedFolder>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CreatedFolder {
    fn new(place: &Path) -> io::Result<Self> {
        sweep(place);
        let folder = tempfile::Builder::new().prefix(NAME).tempdir_in(place)?;
        let path = folder.path().canonicalize()?;
        // The file is renamed once it is locked. Otherwise another session could find it unlocked
        // and remove the folder.
        let lock = File::create_new(path.join(NEW_LOCK))?;
        lock.try_lock()?;
        fs::rename(path.join(NEW_LOCK), path.join(LOCK))?;
        fs::create_dir(path.join("tmp"))?;
        fs::create_dir(path.join("outputs"))?;
        Ok(Self { _folder: folder, path, _lock: lock, outputs: VecDeque::new(), count: 0 })
    }

    fn places(&mut self) -> Places {
        self.count += 1;
        let outputs = self.path.join("outputs");
        let output = outputs.join(format!("{}.txt", self.count));
        self.outputs.push_back(output.clone());
        if self.outputs.len() > MAX_OUTPUTS
            && let Some(oldest) = self.outputs.pop_front()
        {
            // There is no file if the output was short.
            let _none = fs::remove_file(oldest);
        }
        Places { temporary: self.path.join("tmp"), outputs, output }
    }
}

/// Removes the folders of dead sessions, whose lock files are not locked. Folders that cannot be
/// removed are skipped.
fn sweep(place: &Path) {
    let named = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(NAME.as_bytes()))
    };
    let entries = fs::read_dir(place).into_iter().flatten().flatten().map(|entry| entry.path());
    let dead = entries.filter(named).filter_map(|folder| {
        let lock = File::open(folder.join(LOCK)).ok()?;
        lock.try_lock().ok()?;
        Some((folder, lock))
    });
    for (folder, _lock) in dead.take(MAX_REMOVED) {
        let _stays = fs::remove_dir_all(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::{CreatedFolder, MAX_REMOVED, NAME, Scratch, sweep};
    use std::fs;

    #[test]
    fn outputs_are_bounded_and_the_folder_goes_with_the_session() {
        let scratch = Scratch::default();
        let first = scratch.places().unwrap();
        fs::write(&first.output, "x").unwrap();
        assert_eq!(scratch.output(first.output.to_str().unwrap()), Some(first.output.clone()));
        assert_eq!(scratch.output("/etc/passwd"), None);
        assert_eq!(scratch.output(&format!("{}/../lock", first.outputs.display())), None);
        for _ in 0..16 {
            fs::write(scratch.places().unwrap().output, "x").unwrap();
        }
        assert_eq!(fs::read_dir(&first.outputs).unwrap().count(), 16);
        assert!(!first.output.exists() && scratch.output(first.output.to_str().unwrap()).is_none());
        drop(scratch);
        assert!(!first.temporary.exists());
    }

    #[test]
    fn folders_of_killed_sessions_are_removed_and_live_ones_stay() {
        let place = tempfile::tempdir().unwrap();
        let [dead, alive] =
            ["dead", "alive"].map(|name| place.path().join(format!("{NAME}{name}")));
        for folder in [&dead, &alive] {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join("lock"), "").unwrap();
        }
        let lock = fs::File::open(alive.join("lock")).unwrap();
        lock.try_lock().unwrap();
        sweep(place.path());
        assert!(!dead.exists() && alive.exists());
    }

    #[test]
    fn live_folders_do_not_keep_dead_ones() {
        let place = tempfile::tempdir().unwrap();
        let alive = (0..2 * MAX_REMOVED).map(|_| CreatedFolder::new(place.path()).unwrap());
        let alive: Vec<CreatedFolder> = alive.collect();
        let dead = place.path().join(format!("{NAME}dead"));
        fs::create_dir(&dead).unwrap();
        fs::write(dead.join("lock"), "").unwrap();
        sweep(place.path());
        assert!(!dead.exists());
        assert!(alive.iter().all(|folder| folder.path.exists()));
    }

    #[test]
    fn sessions_that_begin_at_once_do_not_remove_the_folders_of_each_other() {
        let place = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let folder = CreatedFolder::new(place.path()).unwrap();
                        assert!(folder.path.join("tmp").exists());
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }
}
