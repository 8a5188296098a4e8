//! The errors of a walk through folders.

use std::io;

use crate::files::file_error::Reason;

/// Explains an error from the walk: a symbolic link in the path was created after the path was
/// resolved. Some systems report "too many links", others "not a folder".
pub(crate) fn no_link(error: io::Error) -> Reason {
    match error.raw_os_error() {
        Some(libc::ELOOP | libc::EMLINK | libc::ENOTDIR) => Reason::Changed,
        // A socket, or a pipe that has no reader.
        Some(libc::ENXIO) => Reason::NotAFile,
        _ => error.into(),
    }
}

/// Returns whether an error means that there is no such entry.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ENOTDIR | libc::ELOOP))
}
