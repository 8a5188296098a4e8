//! Folders that stand for missing names while a command runs, so that a sandbox can cover them.
//!
//! Commands may run side by side in one folder, and each must find its cover until it ends. So each command makes a folder of its own in
//! the placeholder, and a placeholder goes with the last of them: a folder that is not empty cannot be removed. The guardian removes them when
//! the command has ended, also after the death of our process.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// How the name of a command's own folder in a placeholder begins.
const MARK: &str = ".attache-placeholder-";

/// The age from which the mark of a process that is gone is removed. A process of another container looks gone as well.
const STALE: Duration = Duration::from_secs(24 * 60 * 60);

/// Folders to remove, in this order, when the command has ended. Dropping it removes them, unless the guardian does.
#[derive(Debug, Default)]
pub(crate) struct Placeholders {
    folders: Arc<Vec<CString>>,
    /// Whether the guardian removes them.
    handed_over: AtomicBool,
}

impl Placeholders {
    /// Puts a placeholder at each path where nothing is. Also returns where one stands now: nothing can be made in a folder that is not
    /// ours to change, nor by a command.
    pub(super) fn make(missing: &[PathBuf]) -> (Self, Vec<PathBuf>) {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let mark = format!("{MARK}{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let (mut made, mut folders) = (Vec::new(), Vec::new());
        for path in missing {
            if let Ok(new) = make(path, &mark) {
                made.push(path.clone());
                folders.extend(new);
            }
        }
        let folders =
            folders.into_iter().filter_map(|path| CString::new(path.into_os_string().into_vec()).ok());
        let folders = Arc::new(folders.collect());
        (Self { folders, handed_over: AtomicBool::new(false) }, made)
    }

    /// The folders in the order of their removal, for the guardian.
    pub(crate) fn folders(&self) -> Arc<Vec<CString>> {
        self.folders.clone()
    }

    /// Says that a guardian runs and removes them.
    pub(crate) fn hand_over(&self) {
        self.handed_over.store(true, Ordering::Release);
    }
}

impl Drop for Placeholders {
    fn drop(&mut self) {
        if !self.handed_over.load(Ordering::Acquire) {
            remove(&self.folders);
        }
    }
}

/// Removes those of the folders that are empty, in this order.
///
/// Async-signal-safe.
pub(crate) fn remove(folders: &[CString]) {
    for folder in folders {
        // SAFETY: a system call with a terminated string. One that is in use, or gone, stays as it is.
        unsafe { libc::rmdir(folder.as_ptr()) };
    }
}

/// Makes a placeholder with this mark. Returns what to remove: marks, the placeholder, and folders that were made above it.
fn make(path: &Path, mark: &str) -> io::Result<Vec<PathBuf>> {
    // Another command may remove a folder between our steps.
    for _ in 0..8 {
        match make_once(path, mark) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            made => return made,
        }
    }
    Err(io::ErrorKind::ResourceBusy.into())
}

fn make_once(path: &Path, mark: &str) -> io::Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    let above: Vec<&Path> =
        path.ancestors().skip(1).take_while(|above| !above.exists() || has_mark(above)).collect();
    for folder in above.into_iter().rev().chain([path]) {
        match fs::create_dir(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            Err(error) if folder == path && !is_placeholder(path) => return Err(error),
            _ => {}
        }
        match fs::create_dir(folder.join(mark)) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => folders.push(folder),
        }
    }
    let removed = folders.into_iter().rev().flat_map(|folder| {
        let marks = [folder.join(mark)].into_iter().chain(stale(folder));
        marks.chain([folder.to_owned()]).collect::<Vec<_>>()
    });
    Ok(removed.collect())
}

/// Whether a command that runs made this folder.
fn has_mark(folder: &Path) -> bool {
    fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| is_mark(&entry))
}

fn is_mark(entry: &fs::DirEntry) -> bool {
    entry.file_name().as_encoded_bytes().starts_with(MARK.as_bytes())
}

/// Whether this folder only stands for a missing name, while a command in a sandbox runs.
pub fn is_placeholder(path: &Path) -> bool {
    let Ok(entries) = fs::read_dir(path) else { return false };
    let mut marks = 0;
    for entry in entries {
        if !entry.is_ok_and(|entry| is_mark(&entry)) {
            return false;
        }
        marks += 1;
    }
    marks > 0
}

/// Marks of processes that are gone for long, whose guardian was killed.
fn stale(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let old = |entry: &fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let process = name.strip_prefix(MARK)?.split('-').next()?.parse::<u32>().ok()?;
        let gone = !Path::new("/proc").join(process.to_string()).exists();
        let age = entry.metadata().ok()?.modified().ok()?.elapsed().ok()?;
        Some(gone && age > STALE)
    };
    entries.filter(|entry| old(entry).unwrap_or(false)).map(|entry| entry.path()).collect()
}
