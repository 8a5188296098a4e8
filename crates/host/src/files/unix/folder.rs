//! Open folders on Unix, whose entries are opened relative to them.

use std::ffi::{CStr, CString, OsStr, OsString};
use std::fs::{File, Metadata, Permissions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::files::entry_info::{EntryInfo, EntryKind};
use crate::files::file_error::changed;

/// The flags for opening a folder.
#[cfg(target_os = "linux")]
const FOLDER: libc::c_int = libc::O_PATH | libc::O_DIRECTORY | libc::O_NOFOLLOW;
#[cfg(not(target_os = "linux"))]
const FOLDER: libc::c_int = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_NOFOLLOW;

/// An open folder inside a root.
#[derive(Debug)]
pub(crate) struct Folder(OwnedFd);

impl Folder {
    /// Opens a folder. A link at the end of the path is an error.
    pub(crate) fn at(path: &Path) -> io::Result<Folder> {
        let path = terminated(path.as_os_str())?;
        // SAFETY: the path is a NUL-terminated string.
        let descriptor = unsafe { libc::open(path.as_ptr(), FOLDER | libc::O_CLOEXEC) };
        // SAFETY: a descriptor that was just opened has no other owner.
        Ok(Folder(unsafe { owned(descriptor) }?))
    }

    /// Returns another descriptor of the same folder.
    pub(crate) fn again(&self) -> io::Result<Folder> {
        Ok(Folder(self.0.try_clone()?))
    }

    /// Opens a folder in this one. A link is an error.
    pub(crate) fn below(&self, name: &OsStr) -> io::Result<Folder> {
        Ok(Folder(self.open(name, FOLDER, 0)?.into()))
    }

    /// Returns the metadata of an entry of this folder, of a link itself.
    pub(crate) fn metadata(&self, name: &OsStr) -> io::Result<Metadata> {
        self.entry(name)?.metadata()
    }

    /// Opens an entry of this folder for its metadata, a link itself too.
    pub(crate) fn entry(&self, name: &OsStr) -> io::Result<File> {
        #[cfg(target_os = "linux")]
        let flags = libc::O_PATH;
        #[cfg(not(target_os = "linux"))]
        let flags = libc::O_RDONLY | libc::O_NONBLOCK | libc::O_SYMLINK;
        self.open_entry(name, flags)
    }

    #[cfg(target_os = "linux")]
    fn open_entry(&self, name: &OsStr, flags: libc::c_int) -> io::Result<File> {
        self.open(name, flags, 0)
    }

    /// Opens an entry, a link itself too: such systems refuse `O_NOFOLLOW` together with
    /// `O_SYMLINK`.
    #[cfg(not(target_os = "linux"))]
    fn open_entry(&self, name: &OsStr, flags: libc::c_int) -> io::Result<File> {
        let name = terminated(name)?;
        let flags = flags | libc::O_CLOEXEC | libc::O_NOCTTY;
        // SAFETY: the name is a NUL-terminated string, and the folder is open.
        let descriptor = unsafe { libc::openat(self.0.as_raw_fd(), name.as_ptr(), flags) };
        // SAFETY: a descriptor that was just opened has no other owner.
        Ok(unsafe { owned(descriptor) }?.into())
    }

    /// Creates a symbolic link in this folder.
    pub(crate) fn link(&self, target: &OsStr, name: &OsStr) -> io::Result<()> {
        let (target, name) = (terminated(target)?, terminated(name)?);
        // SAFETY: both texts are NUL-terminated strings, and the folder is open.
        succeeded(unsafe { libc::symlinkat(target.as_ptr(), self.0.as_raw_fd(), name.as_ptr()) })
    }

    /// Returns the target of a symbolic link in this folder.
    pub(crate) fn read_link(&self, name: &OsStr) -> io::Result<OsString> {
        let name = terminated(name)?;
        let mut target = vec![0_u8; libc::PATH_MAX as usize];
        // SAFETY: the name is NUL-terminated, the folder is open, and the buffer has this length.
        let length = unsafe {
            libc::readlinkat(
                self.0.as_raw_fd(),
                name.as_ptr(),
                target.as_mut_ptr().cast(),
                target.len(),
            )
        };
        let Ok(length) = usize::try_from(length) else { return Err(io::Error::last_os_error()) };
        target.truncate(length);
        Ok(OsString::from_vec(target))
    }

    /// Opens a regular file in this folder for reading. An entry of another kind is opened too, and
    /// opening it does not wait.
    pub(crate) fn open_file(&self, name: &OsStr) -> io::Result<File> {
        self.open(name, libc::O_RDONLY | libc::O_NONBLOCK, 0)
    }

    /// Opens a folder in this one, or this one as `.`, for reading its names.
    pub(crate) fn open_folder(&self, name: &OsStr) -> io::Result<File> {
        self.open(name, libc::O_RDONLY | libc::O_DIRECTORY, 0)
    }

    /// Creates a file in this folder and opens it for writing. The name must be unused.
    pub(crate) fn create(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        self.open(name, libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL, mode)
    }

    /// Opens an entry of this folder for its metadata. Whether a link is an error depends on the
    /// system.
    pub(crate) fn look(&self, name: &OsStr) -> io::Result<File> {
        #[cfg(target_os = "linux")]
        let flags = libc::O_PATH;
        #[cfg(not(target_os = "linux"))]
        let flags = libc::O_RDONLY | libc::O_NONBLOCK;
        self.open(name, flags, 0)
    }

    /// Sets the permissions of the expected entry. A folder keeps its group and sticky bits, which
    /// it inherits or shares.
    pub(crate) fn set_mode(&self, name: &OsStr, mode: u32, expected: &EntryInfo) -> io::Result<()> {
        let kept = if expected.kind == EntryKind::Folder { expected.mode & 0o3000 } else { 0 };
        let mode = mode | kept;
        match self.open_file(name) {
            Ok(file) if EntryInfo::of(&file)? == *expected => {
                file.set_permissions(Permissions::from_mode(mode))
            }
            Ok(_) => Err(changed()),
            // The entry is not readable, so it has to be named.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                let name = terminated(name)?;
                let flags = libc::AT_SYMLINK_NOFOLLOW;
                let mode = mode as libc::mode_t;
                // SAFETY: the name is a NUL-terminated string, and the folder is open.
                succeeded(unsafe { libc::fchmodat(self.0.as_raw_fd(), name.as_ptr(), mode, flags) })
            }
            Err(error) => Err(error),
        }
    }

    /// Opens a name in this folder. A symbolic link is an error.
    fn open(&self, name: &OsStr, flags: libc::c_int, mode: libc::c_uint) -> io::Result<File> {
        let name = terminated(name)?;
        let flags = flags | libc::O_NOFOLLOW | libc::O_CLOEXEC | libc::O_NOCTTY;
        // SAFETY: the name is a NUL-terminated string, and the folder is open.
        let descriptor = unsafe { libc::openat(self.0.as_raw_fd(), name.as_ptr(), flags, mode) };
        // SAFETY: a descriptor that was just opened has no other owner.
        Ok(unsafe { owned(descriptor) }?.into())
    }

    /// Creates a folder in this one. An existing folder is not an error.
    pub(crate) fn make(&self, name: &OsStr) -> io::Result<()> {
        let name = terminated(name)?;
        // SAFETY: the name is a NUL-terminated string, and the folder is open.
        match succeeded(unsafe { libc::mkdirat(self.0.as_raw_fd(), name.as_ptr(), 0o777) }) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            result => result,
        }
    }

    /// Renames within this folder and replaces the new name.
    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        let (from, to) = (terminated(from)?, terminated(to)?);
        let folder = self.0.as_raw_fd();
        // SAFETY: both names are NUL-terminated strings, and the folder is open.
        succeeded(unsafe { libc::renameat(folder, from.as_ptr(), folder, to.as_ptr()) })
    }

    /// Moves `from` in this folder to the unused name `to` in another folder.
    pub(crate) fn rename_new(&self, from: &OsStr, other: &Folder, to: &OsStr) -> io::Result<()> {
        let (from, to) = (terminated(from)?, terminated(to)?);
        match renamed_new((self.0.as_raw_fd(), &from), (other.0.as_raw_fd(), &to)) {
            // The file system does not support this rename. The hard link below has the same effect
            // for a regular file.
            Err(error)
                if matches!(
                    error.raw_os_error(),
                    Some(libc::EINVAL | libc::ENOSYS | libc::ENOTSUP)
                ) => {}
            renamed => return renamed,
        }
        let (here, there) = (self.0.as_raw_fd(), other.0.as_raw_fd());
        // SAFETY: both names are NUL-terminated strings, and both folders are open.
        succeeded(unsafe { libc::linkat(here, from.as_ptr(), there, to.as_ptr(), 0) })?;
        // SAFETY: the name is a NUL-terminated string, and the folder is open.
        succeeded(unsafe { libc::unlinkat(here, from.as_ptr(), 0) })
    }

    /// Removes an entry of this folder that is not a folder itself. A symbolic link itself is
    /// removed, never its target.
    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        self.unlink(name, 0)
    }

    /// Removes an empty folder in this folder.
    pub(crate) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        self.unlink(name, libc::AT_REMOVEDIR)
    }

    fn unlink(&self, name: &OsStr, flags: libc::c_int) -> io::Result<()> {
        let name = terminated(name)?;
        // SAFETY: the name is a NUL-terminated string, and the folder is open.
        succeeded(unsafe { libc::unlinkat(self.0.as_raw_fd(), name.as_ptr(), flags) })
    }

    /// Syncs this folder's entries to the disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.open_folder(OsStr::new("."))?.sync_all()
    }
}

/// Renames to an unused name, atomically.
#[cfg(target_os = "linux")]
fn renamed_new(from: (RawFd, &CStr), to: (RawFd, &CStr)) -> io::Result<()> {
    // SAFETY: both names are NUL-terminated strings, and both folders are open.
    let result = unsafe {
        libc::syscall(
            libc::SYS_renameat2,
            from.0,
            from.1.as_ptr(),
            to.0,
            to.1.as_ptr(),
            libc::RENAME_NOREPLACE,
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Always fails, because other systems do not have this rename. The caller then creates a hard
/// link.
#[cfg(not(target_os = "linux"))]
fn renamed_new(_: (RawFd, &CStr), _: (RawFd, &CStr)) -> io::Result<()> {
    Err(io::Error::from_raw_os_error(libc::ENOSYS))
}

fn terminated(name: &OsStr) -> io::Result<CString> {
    CString::new(name.as_bytes())
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))
}

fn succeeded(result: libc::c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// # Safety
/// Nothing else may own the descriptor.
unsafe fn owned(descriptor: libc::c_int) -> io::Result<OwnedFd> {
    if descriptor == -1 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is open, and the caller promises that nothing else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}
