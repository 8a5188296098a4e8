//! The files that this program stores.

use crate::folder;
use crate::permission::rules;
use crate::store::Place;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// A file that this program stores, or a folder with all its files.
#[derive(Debug)]
pub(super) struct StoredFile {
    pub(super) path: PathBuf,
    /// The size in bytes, with all files of a folder.
    pub(super) size: u64,
    /// What it contains; empty if this version does not know it.
    pub(super) contents: &'static str,
}

/// The files by the beginning of their names, and their contents. SQLite and backups append to
/// the names.
const CONTENTS: &[(&str, &str)] = &[
    ("AGENTS.md", "your instructions for every project"),
    ("agents.toml", "your agents"),
    ("chat_history", "the prompts that you typed"),
    ("client-permissions.jsonl", "decisions about permissions"),
    ("client-permissions.txt", "permission rules of an older version"),
    ("config.toml", "settings"),
    ("keymap.toml", "keys of the screen"),
    ("keys.toml", "API keys"),
    ("models.json", "your models"),
    ("permissions", "permission rules"),
    ("sessions.db", "sessions"),
    ("theme.toml", "styles of the screen"),
];

/// What SQLite appends to the name of a store.
const SQLITE: [&str; 4] = ["", "-wal", "-shm", "-journal"];

/// Returns all stored files, by path.
///
/// # Errors
/// Returns an error if a folder cannot be read.
pub(super) fn stored_files() -> io::Result<Vec<StoredFile>> {
    let mut files = Vec::new();
    for folder in folders() {
        for entry in entries(&folder)? {
            files.push(StoredFile::new(entry, None)?);
        }
    }
    for (path, contents) in elsewhere() {
        if !files.iter().any(|file: &StoredFile| path.starts_with(&file.path)) {
            files.push(StoredFile::new(path, Some(contents))?);
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// Returns the folders of this program.
pub(super) fn folders() -> BTreeSet<PathBuf> {
    [folder::configuration(), folder::data()].into_iter().flatten().collect()
}

/// Returns the files that settings name, with their contents, if they exist.
fn elsewhere() -> Vec<(PathBuf, &'static str)> {
    let mut found = Vec::new();
    if let Ok(Place::File(store)) = Place::of(None) {
        found.extend(SQLITE.map(|end| {
            let mut name = store.as_os_str().to_owned();
            name.push(end);
            (PathBuf::from(name), "sessions")
        }));
    }
    found.extend(rules::files().into_iter().map(|file| (file, "permission rules")));
    found.retain(|(path, _)| path.symlink_metadata().is_ok());
    found
}

impl StoredFile {
    fn new(path: PathBuf, contents: Option<&'static str>) -> io::Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let known = CONTENTS.iter().find(|(begin, _)| name.starts_with(begin));
        let contents = contents.or(known.map(|(_, contents)| *contents)).unwrap_or_default();
        Ok(Self { size: size(&path)?, contents, path })
    }

    /// Removes the file, or the folder with all its files. A link is removed, and its target stays.
    pub(super) fn remove(&self) -> io::Result<()> {
        let removed = match self.path.symlink_metadata()?.is_dir() {
            true => fs::remove_dir_all(&self.path),
            false => fs::remove_file(&self.path),
        };
        match removed {
            Err(error) if folder::is_missing(&error) => Ok(()),
            removed => removed,
        }
    }
}

/// Returns the paths in the folder; none if the folder does not exist.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| Ok(entry?.path())).collect(),
        Err(error) if folder::is_missing(&error) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn size(path: &Path) -> io::Result<u64> {
    let meta = path.symlink_metadata()?;
    match meta.is_dir() {
        true => entries(path)?.iter().map(|entry| size(entry)).sum(),
        false => Ok(meta.len()),
    }
}
