//! Files that a judgement is written to.

use crate::exit::Failure;
use std::fs;
use std::path::Path;

/// Writes a report or a list of known failures.
pub(in crate::check) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|error| {
        Failure::usage(format!("{} cannot be written: {error}; name another file", path.display()))
    })
}
