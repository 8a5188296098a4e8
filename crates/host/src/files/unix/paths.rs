//! The spelling of paths on Unix.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

use crate::files::file_error::Reason;
use crate::files::spelled_path::{SpelledPath, Step};

/// Takes a path apart.
pub(crate) fn spelled(path: &Path) -> Result<SpelledPath, Reason> {
    let start = path.is_absolute().then(|| PathBuf::from("/"));
    let steps = path.components().filter_map(|component| match component {
        Component::ParentDir => Some(Step::Up),
        Component::Normal(name) => Some(Step::Down(name.into())),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    });
    Ok(SpelledPath { start, steps: steps.collect() })
}

/// Returns the canonical path of what exists at a path.
pub(crate) fn canonical(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize()
}

/// Returns a path without links as the system spells it: unchanged. The last `missing` components
/// do not exist.
pub(crate) fn respelled(path: PathBuf, _missing: usize) -> Result<PathBuf, Reason> {
    Ok(path)
}

/// Returns the name that consists of these bytes.
pub(crate) fn name_of(bytes: Vec<u8>) -> Option<OsString> {
    Some(OsString::from_vec(bytes))
}
