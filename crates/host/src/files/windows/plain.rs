//! Opens files that may be something else.

use std::fs::File;
use std::io;
use std::path::Path;

use windows_sys::Win32::Storage::FileSystem::{FILE_TYPE_DISK, FILE_TYPE_PIPE};

use crate::files::system::native::type_of;

/// The file that is locked for its folder.
const LOCK: &str = ".attache-lock";

/// Opens a file. A folder is an error.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Returns whether an open file is on a disk, and not a device such as `NUL`.
pub(crate) fn is_regular(file: &File) -> io::Result<bool> {
    Ok(type_of(file) == FILE_TYPE_DISK && file.metadata()?.is_file())
}

/// Opens a regular file or a pipe. Returns `None` if it is something else. Reading a pipe waits for
/// a program that writes.
pub(crate) fn open_for_data(path: &Path) -> io::Result<Option<File>> {
    let file = open(path)?;
    let has_data = type_of(&file) == FILE_TYPE_PIPE || is_regular(&file)?;
    Ok(has_data.then_some(file))
}

/// Opens what can be locked for a folder: a file in it.
pub(crate) fn open_lock(folder: &Path) -> io::Result<File> {
    File::options().write(true).create(true).truncate(false).open(folder.join(LOCK))
}
