//! The metadata of an entry of a folder.

use std::fs::File;
use std::io;
use std::time::SystemTime;

use crate::files::entry_numbers::Numbers;
use crate::files::system::attributes::numbers;

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A socket, pipe or device.
    Special,
}

/// The metadata of an entry. Two equal values mean that the entry did not change in between, as far
/// as the system reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryInfo {
    /// What the entry is.
    pub kind: EntryKind,
    /// The permission bits, at most `0o7777`. On Windows the bits say only whether the entry can be
    /// written.
    pub mode: u32,
    /// The size in bytes.
    pub size: u64,
    /// The number of hard links.
    pub links: u64,
    /// When the entry was created, if the file system records it.
    pub created: Option<SystemTime>,
    device: u64,
    inode: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl EntryInfo {
    pub(crate) fn of(file: &File) -> io::Result<EntryInfo> {
        let found = file.metadata()?;
        let Numbers { mode, links, device, inode, modified, changed } = numbers(file, &found)?;
        let kind = match found.file_type() {
            kind if kind.is_file() => EntryKind::File,
            kind if kind.is_dir() => EntryKind::Folder,
            kind if kind.is_symlink() => EntryKind::Link,
            _ => EntryKind::Special,
        };
        let size = found.len();
        let created = found.created().ok();
        Ok(EntryInfo { kind, mode, size, links, created, device, inode, modified, changed })
    }

    /// Returns the numbers of the file system and of the entry in it, which no other entry has at
    /// the same time.
    pub fn id(&self) -> (u64, u64) {
        (self.device, self.inode)
    }

    /// Returns whether both values describe the same entry, which may have changed.
    pub fn is_same_entry(&self, other: &EntryInfo) -> bool {
        self.id() == other.id()
    }
}
