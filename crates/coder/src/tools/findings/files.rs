//! The files below a folder.

use crate::tools::fit::counted;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The maximum number of files in a result.
pub(crate) const FILES_NAMED: usize = 200;

/// The maximum number of extensions and folders in a result.
pub(crate) const KINDS_NAMED: usize = 50;

/// The files found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Files {
    /// The folder's display name.
    pub(crate) folder: String,
    /// The display names of at most [`FILES_NAMED`] files, those nearest to the folder first.
    pub(crate) named: Vec<String>,
    /// The number of files.
    pub(crate) total: u64,
    /// Whether counting stopped early, at a limit.
    pub(crate) uncounted: bool,
    /// The [`KINDS_NAMED`] most frequent extensions, each with the number of its files. Files
    /// without an extension are counted under the empty one.
    pub(crate) extensions: Vec<(String, u64)>,
    /// The first [`KINDS_NAMED`] direct subfolders by name, each with the number of files in it.
    pub(crate) folders: Vec<(String, u64)>,
    /// The number of direct subfolders.
    pub(crate) folders_total: u64,
}

impl Files {
    /// The number of files, in words.
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
