//! Owners, permissions and locks of open files.

use std::fs::{File, Metadata, Permissions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

use crate::files::entry_numbers::Numbers;

/// Returns the numbers of an entry.
pub(crate) fn numbers(_file: &File, found: &Metadata) -> io::Result<Numbers> {
    Ok(Numbers {
        mode: found.mode() & 0o7777,
        links: found.nlink(),
        device: found.dev(),
        inode: found.ino(),
        modified: (found.mtime(), found.mtime_nsec()),
        changed: (found.ctime(), found.ctime_nsec()),
    })
}

/// Gives a file the owner and group of the one that it will replace, where the system allows it.
pub(crate) fn keep_owner(file: &File, old: &Metadata) -> io::Result<()> {
    let new = file.metadata()?;
    let owner = (old.uid() != new.uid()).then_some(old.uid());
    let group = (old.gid() != new.gid()).then_some(old.gid());
    if owner.is_some() || group.is_some() {
        // Only the superuser may give a file to another user. Otherwise this user becomes its
        // owner.
        let _kept = fchown(file, owner, group);
    }
    Ok(())
}

/// Gives a file the permissions of another one.
pub(crate) fn keep_permissions(file: &File, old: &Metadata) -> io::Result<()> {
    set_mode(file, old.mode() & 0o7777)
}

/// Sets the permissions of a file.
pub(crate) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(mode))
}

/// Returns whether another program has locked a part of the file with `fcntl`, as SQLite does.
pub(crate) fn has_record_lock(file: &File) -> bool {
    // SAFETY: the type has only integers, for which zero is a valid value.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = libc::F_WRLCK as libc::c_short;
    lock.l_whence = libc::SEEK_SET as libc::c_short;
    // SAFETY: the descriptor is open, and the lock is a valid value that the call overwrites.
    let result = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GETLK, &raw mut lock) };
    result == 0 && lock.l_type != libc::F_UNLCK as libc::c_short
}
