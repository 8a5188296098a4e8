//! Folders that occupy missing names while a command runs, so that a sandbox can cover them.
//!
//! Commands may run side by side in one folder, and each needs its placeholders until it ends. So
//! each command creates a mark, a folder of its own, in the placeholder. The placeholder is removed
//! with the last mark, because a folder that is not empty cannot be removed. The guardian removes
//! the mark and the placeholder when the command has ended, even if this process has died. This
//! process removes them if the guardian died. If both died, the next [`reclaim_placeholders`] in
//! that folder removes them.
//!
//! A mark in the writable folder itself is created first and removed last. While it exists, an
//! empty folder below may be a placeholder that does not have its mark yet or no longer has it.

use super::owner::{MARK, is_dead, is_mark, new_mark};
use std::ffi::CString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Folders to remove, in this order, when the command has ended. Dropping this value removes them,
/// unless the guardian does.
#[derive(Debug, Default)]
pub(crate) struct Placeholders {
    folders: Arc<Vec<CString>>,
    /// Whether the guardian removes the folders.
    handed_over: AtomicBool,
}

impl Placeholders {
    /// Creates a placeholder at each unused path. Also returns the paths that have a placeholder
    /// now. No placeholder is created in a folder that this user may not change, because a command
    /// cannot create anything there either. `roots` are the writable folders that contain the
    /// paths.
    pub(super) fn make(roots: &[PathBuf], missing: &[PathBuf]) -> (Self, Vec<PathBuf>) {
        let mark = new_mark();
        let holds = |root: &&PathBuf| missing.iter().any(|path| path.starts_with(root));
        let witnesses: Vec<PathBuf> =
            roots.iter().filter(holds).map(|root| root.join(&mark)).collect();
        for witness in &witnesses {
            // If this user may not change the folder, it gets no placeholder either.
            let _refused = fs::create_dir(witness);
        }
        let (mut made, mut folders) = (Vec::new(), Vec::new());
        for path in missing {
            if let Ok(new) = make(roots, path, &mark) {
                made.push(path.clone());
                folders.extend(new);
            }
        }
        folders.extend(witnesses);
        let folders = folders
            .into_iter()
            .filter_map(|path| CString::new(path.into_os_string().into_vec()).ok());
        let folders = Arc::new(folders.collect());
        (Self { folders, handed_over: AtomicBool::new(false) }, made)
    }

    /// The folders for the guardian, in the order of their removal.
    pub(crate) fn folders(&self) -> Arc<Vec<CString>> {
        self.folders.clone()
    }

    /// Records that a guardian is running and will remove them.
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
        // SAFETY: a system call with a NUL-terminated string. It does not change a placeholder that
        // is in use or gone.
        unsafe { libc::rmdir(folder.as_ptr()) };
    }
}

/// Removes the folders after a guardian that may have been killed. A guardian that finished left no
/// mark, and then nothing is removed, because an empty folder may belong to the user by now.
pub(crate) fn remove_rest(folders: &[CString]) {
    let is_mark = |folder: &&CString| {
        let name = folder.as_bytes().rsplit(|byte| *byte == b'/').next();
        name.is_some_and(|name| name.starts_with(MARK.as_bytes()))
    };
    // SAFETY: a system call with a NUL-terminated string.
    let is_there = |folder: &CString| unsafe { libc::access(folder.as_ptr(), libc::F_OK) } == 0;
    if folders.iter().filter(is_mark).any(is_there) {
        remove(folders);
    }
}

/// Removes the placeholders at these names in this folder, if the processes that created them have
/// ended. Such placeholders remain if a process is killed together with its guardian, or if the
/// machine stops. Placeholders of another machine or container are removed after a day, because the
/// processes that created them always seem to have ended. Blocks on the disk.
pub fn reclaim_placeholders<'n>(root: &Path, names: impl IntoIterator<Item = &'n str>) {
    let witnesses = dead_marks(root);
    let created = |path: &Path| path.symlink_metadata().and_then(|found| found.created()).ok();
    let since = witnesses.iter().filter_map(|witness| created(witness)).min();
    let mut emptied = Vec::new();
    for name in names {
        let path = root.join(name);
        for folder in path.ancestors().take_while(|above| *above != root) {
            if !folder.symlink_metadata().is_ok_and(|found| found.is_dir()) {
                continue;
            }
            let marks = dead_marks(folder);
            let unmarked =
                || since.zip(created(folder)).is_some_and(|(since, created)| created >= since);
            if !marks.is_empty() || unmarked() {
                marks.iter().map(PathBuf::as_path).for_each(remove_empty);
                emptied.push(folder.to_owned());
            }
        }
    }
    // Folders come before those above them. A folder that contains anything is kept.
    emptied.sort();
    emptied.iter().rev().chain(&witnesses).map(PathBuf::as_path).for_each(remove_empty);
}

fn remove_empty(folder: &Path) {
    let _in_use_or_gone = fs::remove_dir(folder);
}

/// Creates a placeholder with this mark. Returns what to remove later: the marks, the placeholder,
/// and the folders that were created above it.
fn make(roots: &[PathBuf], path: &Path, mark: &str) -> io::Result<Vec<PathBuf>> {
    // Another command may remove a folder meanwhile, so try again.
    for _ in 0..8 {
        match make_once(roots, path, mark) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            made => return made,
        }
    }
    Err(io::ErrorKind::ResourceBusy.into())
}

fn make_once(roots: &[PathBuf], path: &Path, mark: &str) -> io::Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    // Another command may have created a folder above. The mark in a writable folder says nothing
    // about that folder itself.
    let is_made = |above: &&Path| {
        !above.exists() || (has_mark(above) && !roots.iter().any(|root| root == above))
    };
    let above: Vec<&Path> = path.ancestors().skip(1).take_while(is_made).collect();
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
        let marks = [folder.join(mark)].into_iter().chain(dead_marks(folder));
        marks.chain([folder.to_owned()]).collect::<Vec<_>>()
    });
    Ok(removed.collect())
}

/// Returns whether a running command created this folder.
fn has_mark(folder: &Path) -> bool {
    fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| is_mark(&entry))
}

/// Returns whether this folder only occupies a missing name while a command in a sandbox runs.
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

/// The marks in this folder whose processes have ended.
fn dead_marks(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(is_dead).map(|entry| entry.path()).collect()
}
