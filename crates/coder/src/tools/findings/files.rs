//! The files below a folder.

use crate::tools::fit::counted;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How many files are named in a result.
pub(crate) const FILES_NAMED: usize = 200;

/// How many extensions and folders are named in a result.
pub(crate) const KINDS_NAMED: usize = 50;

/// The files found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Files {
    /// The folder, for people.
    pub(crate) folder: String,
    /// The first [`FILES_NAMED`] files for people, those nearest to the folder first.
    pub(crate) named: Vec<String>,
    /// How many there are.
    pub(crate) total: u64,
    /// Whether there are more than were counted.
    pub(crate) uncounted: bool,
    /// How many files have which extension, the most frequent [`KINDS_NAMED`]; the empty one stands
    /// for none.
    pub(crate) extensions: Vec<(String, u64)>,
    /// How many files each folder right below holds, the first [`KINDS_NAMED`] by name.
    pub(crate) folders: Vec<(String, u64)>,
    /// How many such folders there are.
    pub(crate) folders_total: u64,
}

impl Files {
    /// How many files there are, in words.
    pub(crate) fn count(&self) -> String {
        let more = if self.uncounted { "more than " } else { "" };
        format!("{more}{}", counted(self.total, "file"))
    }

    /// The text for the model.
    pub(crate) fn text(&self) -> String {
        let mut text = self.named.join("\n");
        let more = self.total.saturating_sub(self.named.len() as u64);
        if more > 0 {
            text.push_str(&format!("\n[{} more]", counted(more, "file")));
        }
        match self.named.is_empty() {
            true => format!("no files in {}", self.folder),
            false => text,
        }
    }

    pub(crate) fn raw_output(&self) -> Value {
        json!({ "files": self.total, "named": self.named.len() })
    }
}
