//! One step of a change of files.

use super::document::Document;
use super::file_access::{Fingerprint, State, fingerprint, unwritable};
use attache_policy::Place;

/// One step of a change.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// The file has this text, or is made.
    Write { place: Place, old: Option<Document>, new: Document },
    /// The file or the empty folder goes.
    Delete { place: Place, old: State },
    /// The file gets another path, where nothing is.
    Move { from: Place, to: Place, old: State },
}

impl Step {
    /// Whether the new text can be written in the encoding of its file.
    ///
    /// # Errors
    /// A sentence for the model and the person: it cannot.
    pub(super) fn is_writable(&self) -> std::result::Result<(), String> {
        match self {
            Self::Write { place, new, .. } => {
                new.bytes().map(drop).map_err(|character| unwritable(place, new, character))
            }
            Self::Delete { .. } | Self::Move { .. } => Ok(()),
        }
    }

    /// The places that it changes.
    pub(super) fn places(&self) -> Vec<&Place> {
        match self {
            Self::Write { place, .. } | Self::Delete { place, .. } => vec![place],
            Self::Move { from, to, .. } => vec![from, to],
        }
    }

    /// What is at which place before the step.
    pub(super) fn before(&self) -> Vec<(&Place, State)> {
        match self {
            Self::Write { place, old, .. } => {
                vec![(place, old.clone().map_or(State::Nothing, State::Text))]
            }
            Self::Delete { place, old } => vec![(place, old.clone())],
            Self::Move { from, to, old } => vec![(from, old.clone()), (to, State::Nothing)],
        }
    }

    /// What is at which place after the step.
    pub(super) fn after(&self) -> Vec<(&Place, Fingerprint)> {
        match self {
            Self::Write { place, new, .. } => vec![(place, fingerprint(new.text.as_bytes()))],
            Self::Delete { place, .. } => vec![(place, Fingerprint::Nothing)],
            Self::Move { from, to, old } => {
                vec![(from, Fingerprint::Nothing), (to, old.fingerprint())]
            }
        }
    }
}
