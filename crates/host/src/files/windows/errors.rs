//! The errors of a walk through folders.

use std::io;

use crate::files::file_error::Reason;

const FILE_NOT_FOUND: i32 = 2;
const PATH_NOT_FOUND: i32 = 3;
const NOT_A_FOLDER: i32 = 267;
/// The error for a link that is not followed (`ERROR_CANT_ACCESS_FILE`).
const LINK: i32 = 1920;

/// The error for a link that is not followed.
pub(crate) fn link() -> io::Error {
    io::Error::from_raw_os_error(LINK)
}

/// Explains an error from the walk: a link in the path was created after the path was resolved.
pub(crate) fn no_link(error: io::Error) -> Reason {
    match error.raw_os_error() {
        Some(LINK | NOT_A_FOLDER) => Reason::Changed,
        _ => error.into(),
    }
}

/// Returns whether an error means that there is no such entry.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(FILE_NOT_FOUND | PATH_NOT_FOUND | NOT_A_FOLDER | LINK))
}
