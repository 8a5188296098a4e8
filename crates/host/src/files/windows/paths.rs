//! The spelling of paths on Windows.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use crate::files::file_error::Reason;
use crate::files::spelled_path::SpelledPath;
use crate::files::windows_path;

/// Takes a path apart. A path that Windows would not read as it is spelled is refused.
pub(crate) fn spelled(path: &Path) -> Result<SpelledPath, Reason> {
    let text = path.to_str().ok_or(Reason::NoPath)?;
    let invalid = |why| Reason::Io(io::Error::new(io::ErrorKind::InvalidInput, why));
    windows_path::spelled(text).map_err(invalid)
}

/// Returns the canonical path of what exists at a path, in the shortest spelling.
pub(crate) fn canonical(path: &Path) -> io::Result<PathBuf> {
    let path = path.canonicalize()?;
    let shortest = path.to_str().and_then(windows_path::shortest);
    Ok(shortest.map_or(path, PathBuf::from))
}

/// Returns a path without links as the system spells it: names have the case that the folders
/// contain, and no short form. The last `missing` components do not exist and stay.
pub(crate) fn respelled(path: PathBuf, missing: usize) -> Result<PathBuf, Reason> {
    let existing = path.ancestors().nth(missing).ok_or(Reason::NoPath)?;
    let rest = path.strip_prefix(existing).map_err(|_| Reason::NoPath)?;
    let existing = canonical(existing)?;
    // Joining an empty path would add a separator.
    Ok(if missing == 0 { existing } else { existing.join(rest) })
}

/// Returns the name that consists of these bytes, if they are UTF-8.
pub(crate) fn name_of(bytes: Vec<u8>) -> Option<OsString> {
    String::from_utf8(bytes).ok().map(OsString::from)
}
