//! The files that this program stores.

use crate::checkpoints::place as checkpoints;
use crate::folder;
use crate::permission::rules;
use crate::settings::Settings;
use crate::store::Place;
use std::collections::BTreeSet;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A file that this program stores.
#[derive(Debug)]
pub(super) struct StoredFile {
    pub(super) path: PathBuf,
    /// The size in bytes.
    pub(super) size: u64,
    /// What it contains; empty if this version does not know it.
    pub(super) contents: &'static str,
    /// The device and the inode.
    identity: (u64, u64),
}

/// The files by the beginning of their names or of the names of their folders, and their contents.
/// SQLite and backups append to the names.
const CONTENTS: &[(&str, &str)] = &[
    ("AGENTS.md", "your instructions for every project"),
    ("agents.toml", "your agents"),
    ("checkpoints", "checkpoints of files"),
    ("damaged-", "damaged checkpoints"),
    ("restore.lock", "the lock of restores of checkpoints"),
    ("stat-", "what the last checkpoint knows of a folder"),
    ("take-", "the lock of checkpoints of a folder"),
    ("chat_history", "the prompts that you typed"),
    ("client-permissions.jsonl", "decisions about permissions"),
    ("client-permissions.txt", "permission rules of an older version"),
    ("config.toml", "settings"),
    ("hub-", "the log, the open sessions and the devices of a shared hub"),
    ("keymap.toml", "keys of the screen"),
    ("keys.toml", "API keys"),
    ("models.json", "your models"),
    ("pasted-", "images from the clipboard"),
    ("permissions", "permission rules"),
    ("sessions.db", "sessions"),
    ("theme.toml", "styles of the screen"),
];

/// The files by the ends of their names, if no beginning is known.
const ENDS: &[(&str, &str)] = &[
    (".lock", "the lock of a shared hub"),
    (".model.json", "what a provider told about a model"),
    (".sock", "the socket of a shared hub"),
];

/// How the names of the files of checkpoints begin.
const CHECKPOINTS: [&str; 5] = ["checkpoints.db", "damaged-", "restore.lock", "stat-", "take-"];

/// What SQLite appends to the name of a store.
const SQLITE: [&str; 4] = ["", "-wal", "-shm", "-journal"];

/// Returns all stored files, by path.
///
/// # Errors
/// Returns an error if a folder cannot be read.
pub(super) fn stored_files() -> io::Result<Vec<StoredFile>> {
    let mut files = Vec::new();
    for folder in folders() {
        collect(&folder, &mut files)?;
    }
    for (path, contents) in elsewhere() {
        let is_new = !files.iter().any(|file: &StoredFile| file.path == path);
        // A variable that names something else than a file removes nothing.
        if let Ok(meta) = path.symlink_metadata()
            && meta.is_file()
            && is_new
        {
            files.push(StoredFile { contents, ..StoredFile::new(path, &meta) });
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// Returns the folders of this program.
fn folders() -> BTreeSet<PathBuf> {
    folder::private().into_iter().collect()
}

/// Removes the folders of this program that have no more files.
pub(super) fn remove_empty_folders() {
    folders().iter().for_each(|folder| remove_empty(folder));
}

fn remove_empty(folder: &Path) {
    for entry in entries(folder).unwrap_or_default() {
        if entry.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
            remove_empty(&entry);
        }
    }
    // A folder that is not empty stays.
    let _ = fs::remove_dir(folder);
}

/// Adds all files below the folder, without following links.
fn collect(folder: &Path, files: &mut Vec<StoredFile>) -> io::Result<()> {
    for path in entries(folder)? {
        match path.symlink_metadata() {
            Ok(meta) if meta.is_dir() => collect(&path, files)?,
            Ok(meta) => files.push(StoredFile::new(path, &meta)),
            Err(error) if folder::is_missing(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Returns the files that settings name, with their contents.
fn elsewhere() -> Vec<(PathBuf, &'static str)> {
    let mut found = Vec::new();
    if let Ok(Place::File(store)) = Place::of(None) {
        found.extend(SQLITE.map(|end| {
            let mut name = store.as_os_str().to_owned();
            name.push(end);
            (PathBuf::from(name), "sessions")
        }));
    }
    if let Ok(checkpoints::Place::Folder(folder)) = checkpoints::Place::of(&Settings::read()) {
        // The person may have named a folder with other files.
        let ours = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            CHECKPOINTS.iter().any(|begin| name.starts_with(begin))
        };
        let files = entries(&folder).unwrap_or_default().into_iter().filter(ours);
        found.extend(files.map(|path| (path, "checkpoints of files")));
    }
    found.extend(rules::files().into_iter().map(|file| (file, "permission rules")));
    found
}

impl StoredFile {
    fn new(path: PathBuf, meta: &Metadata) -> Self {
        let by_begin = |path: &Path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            CONTENTS.iter().find(|(begin, _)| name.starts_with(begin))
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let known = by_begin(&path);
        let known = known.or_else(|| ENDS.iter().find(|(end, _)| name.ends_with(end)));
        let known = known.or_else(|| path.parent().and_then(by_begin));
        let contents = known.map(|(_, contents)| *contents).unwrap_or_default();
        Self { size: meta.len(), contents, identity: identity(meta), path }
    }

    /// Removes the file if it is the one that was listed. A link is removed, and its target stays.
    pub(super) fn remove(&self) -> io::Result<()> {
        let removed = match self.path.symlink_metadata() {
            Ok(meta) if meta.is_dir() || identity(&meta) != self.identity => {
                Err(io::Error::other("it was replaced after the list was shown"))
            }
            Ok(_) => fs::remove_file(&self.path),
            Err(error) => Err(error),
        };
        match removed {
            Err(error) if folder::is_missing(&error) => Ok(()),
            removed => removed,
        }
    }
}

fn identity(meta: &Metadata) -> (u64, u64) {
    (meta.dev(), meta.ino())
}

/// Returns the paths in the folder; none if the folder does not exist.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| Ok(entry?.path())).collect(),
        Err(error) if folder::is_missing(&error) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::StoredFile;
    use std::fs;

    /// The names of the files of devices and locks say nothing; those of their folders do.
    #[test]
    fn a_file_is_known_by_its_name_or_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let contents = |name: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            let meta = path.symlink_metadata().unwrap();
            StoredFile::new(path, &meta).contents
        };
        assert_eq!(contents("sessions.db-wal"), "sessions");
        assert_eq!(contents("sessions.db-locks/5b2f"), "sessions");
        assert_eq!(contents("work.lock"), "the lock of a shared hub");
        for name in ["token", "devices.json"] {
            let contents = contents(&format!("hub-default.devices/{name}"));
            assert_eq!(contents, "the log, the open sessions and the devices of a shared hub");
        }
        assert_eq!(contents("hat/token"), "");
    }
}
