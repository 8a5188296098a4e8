//! One approval of a permission request.

use super::command::ApprovedCommand;
use crate::permission::file_action::FileState;
use std::path::PathBuf;
use std::sync::Arc;

/// What a permission request allows once.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Approved {
    /// To write this content while the file holds what it held when the request came.
    Write { path: PathBuf, before: FileState, after: Arc<[u8]> },
    /// To read a file that holds secrets.
    Read { path: PathBuf },
    /// To run a command.
    Command(ApprovedCommand),
}

impl Approved {
    /// The bytes of files that it keeps.
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
