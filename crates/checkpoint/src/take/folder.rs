//! Opens folders and files below a root without following symbolic links.

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, fstat, openat, readlinkat, statat,
};
use rustix::io::Errno;
use std::ffi::{CStr, CString};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

/// An open root.
#[derive(Debug)]
pub(crate) struct OpenRoot {
    folder: OwnedFd,
    /// The file system that the root is on.
    device: u64,
}

impl OpenRoot {
    pub(crate) fn open(path: &Path) -> Result<Self, Errno> {
        let folder = openat(CWD, path, FOLDER | OFlags::CLOEXEC, Mode::empty())?;
        let device = device(&fstat(&folder)?);
        Ok(Self { folder, device })
    }

    /// Opens a folder. Returns `None` if it is on another file system.
    pub(crate) fn folder(&self, path: &[u8]) -> Result<Option<OpenFolder>, Errno> {
        let folder = self.beneath(path, FOLDER)?;
        let stat = fstat(&folder)?;
        Ok((device(&stat) == self.device).then_some(OpenFolder { folder, stat }))
    }

    /// Opens a regular file for reading. A pipe does not block.
    pub(crate) fn file(&self, path: &[u8]) -> Result<std::fs::File, Errno> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
        self.beneath(path, flags).map(Into::into)
    }

    fn beneath(&self, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
        let path = if path.is_empty() { b"." } else { path };
        let flags = flags | OFlags::CLOEXEC;
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{ResolveFlags, openat2};
            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
            match openat2(&self.folder, path, flags, Mode::empty(), resolve) {
                // Old systems, and sandboxes that do not know the call.
                Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => {}
                opened => return opened,
            }
        }
        self.step_by_step(path, flags)
    }

    /// Opens one folder after the other, so that none of them can be a link.
    fn step_by_step(&self, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
        let mut names = path.split(|byte| *byte == b'/').peekable();
        let mut folder: Option<OwnedFd> = None;
        while let Some(name) = names.next() {
            let within = folder.as_ref().unwrap_or(&self.folder);
            match names.peek() {
                None => return openat(within, name, flags | OFlags::NOFOLLOW, Mode::empty()),
                Some(_) => {
                    folder = Some(openat(within, name, FOLDER | OFlags::CLOEXEC, Mode::empty())?);
                }
            }
        }
        Err(Errno::NOENT)
    }
}

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW);

#[allow(
    clippy::unnecessary_cast,
    clippy::cast_sign_loss,
    reason = "the type of this field differs between systems"
)]
fn device(stat: &Stat) -> u64 {
    stat.st_dev as u64
}

/// An open folder below a root.
#[derive(Debug)]
pub(crate) struct OpenFolder {
    folder: OwnedFd,
    pub(crate) stat: Stat,
}

/// A name in a folder.
#[derive(Debug)]
pub(crate) struct Name {
    pub(crate) name: CString,
    /// The kind, if the file system told it.
    pub(crate) kind: FileType,
}

impl OpenFolder {
    /// Returns the names in the folder, sorted by their bytes, or `None` if there are more than
    /// `limit`.
    pub(crate) fn names(&self, limit: usize) -> Result<Option<Vec<Name>>, Errno> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name();
            if name.to_bytes() == b"." || name.to_bytes() == b".." {
                continue;
            }
            if names.len() >= limit {
                return Ok(None);
            }
            names.push(Name { name: name.to_owned(), kind: entry.file_type() });
        }
        names.sort_unstable_by(|one, other| one.name.as_bytes().cmp(other.name.as_bytes()));
        Ok(Some(names))
    }

    pub(crate) fn stat(&self, name: &CStr) -> Result<Stat, Errno> {
        statat(self.folder.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW)
    }

    pub(crate) fn link_target(&self, name: &CStr) -> Result<Vec<u8>, Errno> {
        readlinkat(self.folder.as_fd(), name, Vec::new()).map(CString::into_bytes)
    }

    /// Reads a small regular file of this folder, such as an ignore file.
    pub(crate) fn small_file(&self, name: &CStr, limit: u64) -> Option<Vec<u8>> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
        let file = openat(&self.folder, name, flags | OFlags::CLOEXEC, Mode::empty()).ok()?;
        read_small(file.into(), limit)
    }
}

/// Reads a regular file of at most `limit` bytes.
pub(crate) fn read_small(file: std::fs::File, limit: u64) -> Option<Vec<u8>> {
    let found = file.metadata().ok().filter(|found| found.is_file() && found.len() <= limit)?;
    let mut bytes = Vec::with_capacity(usize::try_from(found.len()).ok()?);
    std::io::Read::read_to_end(&mut std::io::Read::take(file, limit), &mut bytes).ok()?;
    Some(bytes)
}

/// Returns the path of a name in a folder.
pub(crate) fn join(folder: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(folder.len() + name.len() + 1);
    path.extend_from_slice(folder);
    if !folder.is_empty() {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn neither_way_of_opening_follows_a_link() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("a/b")).unwrap();
        fs::write(folder.path().join("a/b/file"), "text").unwrap();
        symlink("a", folder.path().join("link")).unwrap();
        symlink("file", folder.path().join("a/b/link")).unwrap();
        let root = OpenRoot::open(folder.path()).unwrap();
        for open in [OpenRoot::beneath, OpenRoot::step_by_step] {
            open(&root, b"a/b/file", OFlags::RDONLY).unwrap();
            open(&root, b"a/b", FOLDER).unwrap();
            open(&root, b".", FOLDER).unwrap();
            open(&root, b"link/b/file", OFlags::RDONLY).unwrap_err();
            open(&root, b"a/b/link", OFlags::RDONLY).unwrap_err();
        }
        root.beneath(b"../a", OFlags::RDONLY).unwrap_err();
    }
}
