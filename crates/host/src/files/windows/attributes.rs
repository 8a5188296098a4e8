//! Numbers, permissions and locks of open files.

use std::fs::{File, Metadata};
use std::io;

use crate::files::entry_numbers::Numbers;
use crate::files::system::native;

/// Returns the numbers of an entry. The permissions say only whether it can be written.
pub(crate) fn numbers(file: &File, found: &Metadata) -> io::Result<Numbers> {
    let (ids, times) = native::information(file)?;
    let mode = match (found.is_dir(), found.permissions().readonly()) {
        (true, _) => 0o777,
        (false, true) => 0o444,
        (false, false) => 0o666,
    };
    Ok(Numbers {
        mode,
        links: ids.nNumberOfLinks.into(),
        device: ids.dwVolumeSerialNumber.into(),
        inode: u64::from(ids.nFileIndexHigh) << 32 | u64::from(ids.nFileIndexLow),
        modified: (times.LastWriteTime, 0),
        changed: (times.ChangeTime, 0),
    })
}

/// Does nothing: a file that replaces another belongs to this user.
pub(crate) fn keep_owner(_file: &File, _old: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Makes a file as writable as another one. It keeps the access list of its folder.
pub(crate) fn keep_permissions(file: &File, old: &Metadata) -> io::Result<()> {
    file.set_permissions(old.permissions())
}

/// Makes a file writable if the permissions contain a bit for it, or else read-only.
pub(crate) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    let mut permissions = file.metadata()?.permissions();
    permissions.set_readonly(mode & 0o222 == 0);
    file.set_permissions(permissions)
}

/// Returns `false`: on Windows, `File::try_lock` sees the locks of parts of a file too.
pub(crate) fn has_record_lock(_file: &File) -> bool {
    false
}
