//! One approval of a permission request.

use super::command::ApprovedCommand;
use crate::permission::file_action::FileState;
use std::path::PathBuf;
use std::sync::Arc;

/// An action that a permission request allows once.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Approved {
    /// Writing this content, as long as the file has not changed since the request.
    Write { path: PathBuf, before: FileState, after: Arc<[u8]> },
    /// Reading a file that holds secrets.
    Read { path: PathBuf },
    /// Running a command.
    Command(ApprovedCommand),
}

impl Approved {
    /// Returns the size in bytes of the file contents that the approval contains.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Write { before: FileState::Holds(before), after, .. } => {
                before.len() + after.len()
            }
            Self::Write { after, .. } => after.len(),
            Self::Read { .. } | Self::Command(_) => 0,
        }
    }
}
