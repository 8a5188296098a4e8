//! Reads and changes the entries beneath one folder, and never follows a symbolic link.
//!
//! [`Roots`](crate::Roots) resolves the links of a path that a person or a program names. Here a
//! path means exactly the entry that it spells, as in a recorded tree: a link on the way is an
//! error, and a link at its end is the link itself.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};

use crate::files::entry_info::{EntryInfo, EntryKind};
use crate::files::file_error::changed;
use crate::files::system::attributes::{has_record_lock, keep_owner, set_mode};
use crate::files::system::errors::is_missing;
use crate::files::system::folder::Folder;
use crate::files::system::names::names;

/// The permission bits that are ever set. Never the bits for another user, another group, or
/// sticky.
const PERMISSIONS: u32 = 0o777;

/// An open folder whose entries are read and changed without following symbolic links. Paths are
/// relative to it, with normal components only. Every method blocks on the disk.
///
/// On Windows, junctions are links too, links cannot be read or put, and of the permissions only
/// the one to write exists.
#[derive(Debug)]
pub struct RootFolder {
    pub(crate) folder: Folder,
    path: PathBuf,
}

/// How a new entry takes its place.
#[derive(Debug, Clone, Copy)]
pub struct Replace<'a> {
    /// The name of the draft: the new entry has this name in the same folder until it is complete.
    pub draft: &'a OsStr,
    /// The entry to replace, as it was found, or `None` if the name must be unused. If the entry
    /// differs, nothing is changed and the error is [`io::ErrorKind::AlreadyExists`] or
    /// [`io::ErrorKind::StaleNetworkFileHandle`].
    pub expected: Option<&'a EntryInfo>,
}

impl RootFolder {
    /// Opens a folder. The path should be canonical: a link at its end is an error.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be opened.
    pub fn open(path: &Path) -> io::Result<RootFolder> {
        Ok(RootFolder { folder: Folder::at(path)?, path: path.to_owned() })
    }

    /// Returns the path that was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the entry at a path; `None` if nothing is there. A path through a file or a link has
    /// no entry.
    ///
    /// # Errors
    /// Returns an error if the path cannot be examined.
    pub fn entry(&self, path: &Path) -> io::Result<Option<EntryInfo>> {
        match self.parent(path, false).and_then(|(folder, name)| info(&folder, name)) {
            Err(error) if is_missing(&error) => Ok(None),
            found => found,
        }
    }

    /// Reads a regular file of at most `limit` bytes, and returns the metadata that the file had
    /// before and after it was read.
    ///
    /// # Errors
    /// Returns an error if the file is not regular, is larger, changes while it is read, or cannot
    /// be read.
    pub fn read(&self, path: &Path, limit: u64) -> io::Result<(Vec<u8>, EntryInfo)> {
        let (folder, name) = self.parent(path, false)?;
        let file = folder.open_file(name)?;
        let found = EntryInfo::of(&file)?;
        if found.kind != EntryKind::File {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
        }
        let mut bytes = Vec::new();
        (&file).take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the file is too large"));
        }
        match EntryInfo::of(&file)? == found {
            true => Ok((bytes, found)),
            false => Err(changed()),
        }
    }

    /// Returns the target of a symbolic link.
    ///
    /// # Errors
    /// Returns an error if the entry is not a link or cannot be read.
    pub fn read_link(&self, path: &Path) -> io::Result<OsString> {
        let (folder, name) = self.parent(path, false)?;
        folder.read_link(name)
    }

    /// Returns the names in a folder, at most `limit` of them. The empty path is the root.
    ///
    /// # Errors
    /// Returns an error if the entry is not a folder or cannot be read.
    pub fn names(&self, path: &Path, limit: usize) -> io::Result<Vec<OsString>> {
        let folder = match path.as_os_str().is_empty() {
            true => self.folder.open_folder(OsStr::new("."))?,
            false => {
                let (folder, name) = self.parent(path, false)?;
                folder.open_folder(name)?
            }
        };
        names(folder, limit)
    }

    /// Returns whether another program holds a lock on a regular file, or a part of it. A file that
    /// cannot be opened counts as not locked.
    pub fn is_locked(&self, path: &Path) -> bool {
        let opened = self.parent(path, false).and_then(|(folder, name)| {
            let file = folder.open_file(name)?;
            Ok((file.metadata()?.is_file(), file))
        });
        match opened {
            Ok((true, file)) => has_record_lock(&file) || file.try_lock().is_err(),
            _ => false,
        }
    }

    /// Puts a file at a path, whole or not at all: its content is written to the draft, synced, and
    /// renamed. Missing parents are created. The file gets the permissions `mode & 0o777`, and the
    /// owner of the file that it replaces where the system allows it.
    ///
    /// # Errors
    /// Returns an error if the entry is not as expected or the file cannot be written. The draft is
    /// then removed.
    pub fn put_file(
        &self,
        path: &Path,
        content: &[u8],
        mode: u32,
        replace: Replace<'_>,
    ) -> io::Result<()> {
        let (folder, name) = self.parent(path, true)?;
        check(&folder, name, replace.expected)?;
        let mut file = folder.create(replace.draft, 0o600)?;
        let written = fill(&mut file, content, mode, &folder, name)
            .and_then(|()| install(&folder, name, replace));
        settle(&folder, replace.draft, written)
    }

    /// Puts a symbolic link at a path, and creates missing parents.
    ///
    /// # Errors
    /// Returns an error if the entry is not as expected or the link cannot be created.
    pub fn put_link(&self, path: &Path, target: &OsStr, replace: Replace<'_>) -> io::Result<()> {
        let (folder, name) = self.parent(path, true)?;
        check(&folder, name, replace.expected)?;
        folder.link(target, replace.draft)?;
        settle(&folder, replace.draft, install(&folder, name, replace))
    }

    /// Removes a file, link or special entry if it still is as it was found.
    ///
    /// # Errors
    /// Returns an error if the entry changed or cannot be removed.
    pub fn remove(&self, path: &Path, expected: &EntryInfo) -> io::Result<()> {
        let (folder, name) = self.parent(path, false)?;
        check(&folder, name, Some(expected))?;
        folder.remove(name)?;
        folder.sync()
    }

    /// Removes an empty folder.
    ///
    /// # Errors
    /// Returns an error if the entry is not a folder, is not empty, or cannot be removed.
    pub fn remove_folder(&self, path: &Path) -> io::Result<()> {
        let (folder, name) = self.parent(path, false)?;
        folder.remove_folder(name)?;
        folder.sync()
    }

    /// Creates a folder with the permissions `mode & 0o777`, and missing parents.
    ///
    /// # Errors
    /// Returns an error if the name is used or the folder cannot be created.
    pub fn make_folder(&self, path: &Path, mode: u32) -> io::Result<()> {
        let (folder, name) = self.parent(path, true)?;
        check(&folder, name, None)?;
        folder.make(name)?;
        let made = info(&folder, name)?.ok_or_else(changed)?;
        folder.set_mode(name, mode & PERMISSIONS, &made)?;
        folder.sync()
    }

    /// Sets the permissions of a file or folder to `mode & 0o777` if it still is as it was found.
    ///
    /// # Errors
    /// Returns an error if the entry changed, is a link, is a file with other hard links, which
    /// would get the permissions too, or the system refuses.
    pub fn set_mode(&self, path: &Path, mode: u32, expected: &EntryInfo) -> io::Result<()> {
        if expected.kind == EntryKind::File && expected.links > 1 {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it has other hard links"));
        }
        let (folder, name) = self.parent(path, false)?;
        check(&folder, name, Some(expected))?;
        folder.set_mode(name, mode & PERMISSIONS, expected)
    }

    /// Removes a draft beside a path that an interrupted write left. A missing draft is no error.
    ///
    /// # Errors
    /// Returns an error if the draft cannot be removed.
    pub fn remove_draft(&self, path: &Path, draft: &OsStr) -> io::Result<()> {
        match self.parent(path, false).and_then(|(folder, _)| folder.remove(draft)) {
            Err(error) if !is_missing(&error) => Err(error),
            _ => Ok(()),
        }
    }

    /// Opens the folder of a path. With `make`, missing folders are created.
    fn parent<'p>(&self, path: &'p Path, make: bool) -> io::Result<(Folder, &'p OsStr)> {
        let invalid = || io::Error::new(io::ErrorKind::InvalidInput, "it is not a plain path");
        if path.components().any(|component| !matches!(component, Component::Normal(_))) {
            return Err(invalid());
        }
        let name = path.file_name().ok_or_else(invalid)?;
        let mut folder = self.folder.again()?;
        for component in path.parent().unwrap_or(Path::new("")).components() {
            folder = match folder.below(component.as_os_str()) {
                Err(error) if make && error.kind() == io::ErrorKind::NotFound => {
                    folder.make(component.as_os_str())?;
                    folder.sync()?;
                    folder.below(component.as_os_str())?
                }
                opened => opened?,
            };
        }
        Ok((folder, name))
    }
}

pub(crate) fn info(folder: &Folder, name: &OsStr) -> io::Result<Option<EntryInfo>> {
    match folder.entry(name) {
        Ok(found) => EntryInfo::of(&found).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Fails if the entry is not the expected one.
fn check(folder: &Folder, name: &OsStr, expected: Option<&EntryInfo>) -> io::Result<()> {
    match (info(folder, name)?, expected) {
        (None, None) => Ok(()),
        (Some(found), Some(expected)) if found == *expected => Ok(()),
        (Some(_), None) => Err(io::ErrorKind::AlreadyExists.into()),
        _ => Err(changed()),
    }
}

/// Fills a draft, and gives it the permissions and the owner of the file that it will replace.
fn fill(
    file: &mut File,
    content: &[u8],
    mode: u32,
    folder: &Folder,
    name: &OsStr,
) -> io::Result<()> {
    file.write_all(content)?;
    if let Some(old) = folder.metadata(name).ok().filter(Metadata::is_file) {
        keep_owner(file, &old)?;
    }
    set_mode(file, mode & PERMISSIONS)?;
    file.sync_all()
}

/// Renames the draft to its name, if the entry of that name is still the expected one.
fn install(folder: &Folder, name: &OsStr, replace: Replace<'_>) -> io::Result<()> {
    check(folder, name, replace.expected)?;
    match replace.expected {
        Some(_) => folder.rename(replace.draft, name),
        None => folder.rename_new(replace.draft, folder, name),
    }
}

/// Syncs the folder after a change, or removes the draft after a failure.
fn settle(folder: &Folder, draft: &OsStr, written: io::Result<()>) -> io::Result<()> {
    match written {
        Ok(()) => folder.sync(),
        Err(error) => {
            // Report the first error, not that of the cleanup.
            let _left = folder.remove(draft);
            Err(error)
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
