//! A path as it is spelled, taken apart.

use std::ffi::OsString;
use std::path::PathBuf;

/// One component of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// `..`
    Up,
    /// A name.
    Down(OsString),
}

/// The components of a path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SpelledPath {
    /// Where an absolute path starts: `/`, or a drive or share of Windows.
    pub(crate) start: Option<PathBuf>,
    /// The components, without `.`.
    pub(crate) steps: Vec<Step>,
}
