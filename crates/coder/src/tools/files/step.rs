//! One step of a file change.

use crate::tools::files::document::Document;
use crate::tools::files::file_access::{Fingerprint, State, fingerprint, missing_character};
use attache_policy::Place;

/// One step of a change.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Write this text to a new or existing file.
    Write { place: Place, old: Option<Document>, new: Document },
    /// Delete the file or the empty folder.
    Delete { place: Place, old: State },
    /// Move the file to another, unused path.
    Move { from: Place, to: Place, old: State },
}

impl Step {
    /// Checks that all characters of the new text exist in the file's encoding.
    ///
    /// # Errors
    /// Returns a sentence for the model and the person if a character does not exist in the
    /// encoding.
    pub(crate) fn is_writable(&self) -> std::result::Result<(), String> {
        match self {
            Self::Write { place, new, .. } => {
                new.bytes().map(drop).map_err(|character| missing_character(place, new, character))
            }
            Self::Delete { .. } | Self::Move { .. } => Ok(()),
        }
    }

    /// The places that the step changes.
    pub(crate) fn places(&self) -> Vec<&Place> {
        match self {
            Self::Write { place, .. } | Self::Delete { place, .. } => vec![place],
            Self::Move { from, to, .. } => vec![from, to],
        }
    }

    /// The state of each place before the step.
    pub(crate) fn before(&self) -> Vec<(&Place, State)> {
        match self {
            Self::Write { place, old, .. } => {
                vec![(place, old.clone().map_or(State::Nothing, State::Text))]
            }
            Self::Delete { place, old } => vec![(place, old.clone())],
            Self::Move { from, to, old } => vec![(from, old.clone()), (to, State::Nothing)],
        }
    }

    /// The fingerprint of each place after the step.
    pub(crate) fn after(&self) -> Vec<(&Place, Fingerprint)> {
        match self {
            Self::Write { place, new, .. } => vec![(place, fingerprint(new.text.as_bytes()))],
            Self::Delete { place, .. } => vec![(place, Fingerprint::Nothing)],
            Self::Move { from, to, old } => {
                vec![(from, Fingerprint::Nothing), (to, old.fingerprint())]
            }
        }
    }
}
