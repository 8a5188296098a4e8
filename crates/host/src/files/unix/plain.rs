//! Opens files that may be something else.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

/// Returns whether an open file is a regular one.
pub(crate) fn is_regular(file: &File) -> io::Result<bool> {
    Ok(file.metadata()?.is_file())
}

/// Opens a regular file, a pipe, or a descriptor of this process. Returns `None` if it is something
/// else. Reading a pipe waits for a program that writes.
pub(crate) fn open_for_data(path: &Path) -> io::Result<Option<File>> {
    let file = open(path)?;
    let kind = file.metadata()?.file_type();
    if !kind.is_file() && !kind.is_fifo() && !is_descriptor(path) {
        return Ok(None);
    }
    wait_for_data(&file)?;
    Ok(Some(file))
}

/// Opens a folder, or what can be locked for it.
pub(crate) fn open_lock(folder: &Path) -> io::Result<File> {
    File::open(folder)
}

/// Opens a file. If it is a pipe, this does not wait for a program that writes to it.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    File::options().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)
}

/// Returns whether the path is a descriptor of this process, such as `/dev/stdin`, which may be a
/// terminal or a socket.
fn is_descriptor(path: &Path) -> bool {
    path.starts_with("/dev/fd")
        || path == Path::new("/dev/stdin")
        || path.starts_with("/proc/self/fd")
}

fn wait_for_data(file: &File) -> io::Result<()> {
    // SAFETY: the descriptor is open, and these calls only take and return numbers.
    let flags = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GETFL) };
    // SAFETY: as above.
    match flags != -1
        && unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFL, flags & !libc::O_NONBLOCK) } != -1
    {
        true => Ok(()),
        false => Err(io::Error::last_os_error()),
    }
}
