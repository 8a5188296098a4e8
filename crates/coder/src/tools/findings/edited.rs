//! A file that was changed.

use serde::{Deserialize, Serialize};

/// The result of an edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Edited {
    /// The file's display name.
    pub(crate) path: String,
    /// The number of replacements.
    pub(crate) places: u64,
}
