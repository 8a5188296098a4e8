//! A file that was changed.

use serde::{Deserialize, Serialize};

/// The result of an edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Edited {
    /// The file, for people.
    pub(crate) path: String,
    /// How many places were replaced.
    pub(crate) places: u64,
}
