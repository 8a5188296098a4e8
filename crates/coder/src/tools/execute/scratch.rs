//! The session's own folder: temporary files of its commands, and their long outputs.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::TempDir;

/// How the folder's name begins.
const NAME: &str = "attache-session-";

/// The file whose lock says that the folder's session lives.
const LOCK: &str = "lock";

/// How many long outputs a session keeps; the oldest goes first.
const OUTPUTS: usize = 16;

/// How many folders of sessions that died are removed at once.
const SWEPT: usize = 16;

/// A folder outside of the session's folders, made when it is first needed, which nobody else may
/// look into. It is removed with the session; where the session's process is killed, by the next
/// session of anybody who may.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    made: Mutex<Option<Made>>,
}

#[derive(Debug)]
struct Made {
    _folder: TempDir,
    /// Without symbolic links.
    path: PathBuf,
    _lock: File,
    outputs: VecDeque<PathBuf>,
    count: u64,
}

/// Where commands put things.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    /// For temporary files.
    pub(super) temporary: PathBuf,
    /// Where the outputs are.
    pub(super) outputs: PathBuf,
    /// A file for the next output, which does not exist.
    pub(super) output: PathBuf,
}

impl Scratch {
    /// The folders, and a name for the next output. Blocks on the disk.
    pub(crate) fn places(&self) -> io::Result<Places> {
        let mut made = self.made();
        if made.as_ref().is_none_or(|made| !made.path.exists()) {
            *made = Some(Made::new()?);
        }
        let made = made.as_mut().ok_or_else(|| io::Error::other("there is no folder"))?;
        Ok(made.places())
    }

    /// A file for the next output, which does not exist yet. Blocks on the disk.
    pub(crate) fn next_output(&self) -> io::Result<PathBuf> {
        self.places().map(|places| places.output)
    }

    /// The folder itself, where it is made already.
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        self.made().as_ref().map(|made| made.path.clone())
    }

    /// The output file that the path names, if it names one.
    pub(crate) fn output(&self, path: &str) -> Option<PathBuf> {
        let made = self.made();
        let mut outputs = made.as_ref()?.outputs.iter();
        let output = outputs.find(|output| output.as_path() == Path::new(path));
        output.filter(|output| output.is_file()).cloned()
    }

    fn made(&self) -> MutexGuard<'_, Option<Made>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Made {
    fn new() -> io::Result<Self> {
        let place = std::env::temp_dir();
        sweep(&place);
        let folder = tempfile::Builder::new().prefix(NAME).tempdir_in(&place)?;
        let path = folder.path().canonicalize()?;
        let lock = File::create_new(path.join(LOCK))?;
        lock.try_lock()?;
        fs::create_dir(path.join("tmp"))?;
        fs::create_dir(path.join("outputs"))?;
        Ok(Self { _folder: folder, path, _lock: lock, outputs: VecDeque::new(), count: 0 })
    }

    fn places(&mut self) -> Places {
        self.count += 1;
        let outputs = self.path.join("outputs");
        let output = outputs.join(format!("{}.txt", self.count));
        self.outputs.push_back(output.clone());
        if self.outputs.len() > OUTPUTS
            && let Some(oldest) = self.outputs.pop_front()
        {
            // A short output made none.
            let _none = fs::remove_file(oldest);
        }
        Places { temporary: self.path.join("tmp"), outputs, output }
    }
}

/// Removes folders of sessions that died: those whose lock nobody holds. What cannot be removed
/// stays.
fn sweep(place: &Path) {
    let named = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(NAME.as_bytes()))
    };
    let entries = fs::read_dir(place).into_iter().flatten().flatten().map(|entry| entry.path());
    for folder in entries.filter(named).take(SWEPT) {
        let lock = File::open(folder.join(LOCK));
        if lock.is_ok_and(|lock| lock.try_lock().is_ok()) {
            let _stays = fs::remove_dir_all(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NAME, Scratch, sweep};
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
    fn what_a_killed_session_left_is_removed_and_what_lives_stays() {
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
}
