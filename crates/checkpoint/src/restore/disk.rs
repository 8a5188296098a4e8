//! The present entries of the folders of a restore.

use crate::changes::state::State;
use crate::snapshot::content_id::ContentId;
use crate::snapshot::entry::{Entry, NotKeptReason, SpecialKind};
use crate::snapshot::path::TreePath;
use attache_host::{EntryInfo, EntryKind, RootFolder};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// The open folders of a restore. No symbolic link is followed.
#[derive(Debug)]
pub(crate) struct Disk {
    roots: Vec<RootFolder>,
    /// Larger files are not read.
    file_limit: u64,
}

/// The present entry of a path.
#[derive(Debug, Clone)]
pub(crate) struct Present {
    pub(crate) state: State,
    /// The metadata with which the entry was read, or `None` if there is no entry.
    pub(crate) info: Option<EntryInfo>,
}

impl Disk {
    /// Opens the folders.
    pub(crate) fn open(roots: &[PathBuf], file_limit: u64) -> io::Result<Disk> {
        let roots: io::Result<_> = roots.iter().map(|root| RootFolder::open(root)).collect();
        Ok(Disk { roots: roots?, file_limit })
    }

    /// Returns the open folder of a path.
    pub(crate) fn root(&self, path: &TreePath) -> io::Result<&RootFolder> {
        self.roots.get(path.root()).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Returns what is at a path, or `None` if there is no entry.
    pub(crate) fn kind(&self, path: &TreePath) -> io::Result<Option<EntryKind>> {
        Ok(self.found(path)?.map(|found| found.kind))
    }

    /// Returns the metadata of the entry that has exactly this path. A file system that ignores the
    /// case finds an entry that was renamed from `Name` to `name` at both paths.
    fn found(&self, path: &TreePath) -> io::Result<Option<EntryInfo>> {
        let (root, relative) = (self.root(path)?, path.relative());
        match root.entry(relative)? {
            Some(info) if root.has_exact_name(relative)? => Ok(Some(info)),
            _ => Ok(None),
        }
    }

    /// Reads the present entry of a path. The content of a file is read for its hash only: the
    /// entries of a whole folder may not fit into memory.
    pub(crate) fn read(&self, path: &TreePath) -> io::Result<Present> {
        let (root, relative) = (self.root(path)?, path.relative());
        let Some(info) = self.found(path)? else {
            return Ok(Present { state: State::Absent, info: None });
        };
        let mode = info.mode;
        let entry = match info.kind {
            EntryKind::Folder => Entry::Folder { mode },
            EntryKind::Link => Entry::Link { target: root.read_link(relative)?.into_vec() },
            EntryKind::Special => Entry::Special { kind: SpecialKind::Pipe },
            EntryKind::File if info.size > self.file_limit => {
                let why = NotKeptReason::Large;
                Entry::FileNotKept { why, content: None, size: info.size, mode }
            }
            EntryKind::File => return file(root, relative, self.file_limit),
        };
        Ok(Present { state: State::Present(entry), info: Some(info) })
    }
}

fn file(root: &RootFolder, path: &Path, limit: u64) -> io::Result<Present> {
    let (bytes, info) = root.read(path, limit)?;
    let (content, size) = (ContentId::of(&bytes), bytes.len() as u64);
    let entry = Entry::File { content, size, mode: info.mode };
    Ok(Present { state: State::Present(entry), info: Some(info) })
}
