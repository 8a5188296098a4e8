//! Files whose names match a pattern.

use crate::tools::fit::counted;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The files found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Found {
    /// The pattern.
    pub(crate) pattern: String,
    /// The folder's display name.
    pub(crate) folder: String,
    /// The display names of the newest [`FILES_NAMED`](super::FILES_NAMED) files, the newest first.
    pub(crate) named: Vec<String>,
    /// The number of files.
    pub(crate) total: u64,
    /// Whether counting stopped early, at a limit.
    pub(crate) uncounted: bool,
}

impl Found {
    /// The number of files, in words.
    pub(crate) fn count(&self) -> String {
        let more = if self.uncounted { "more than " } else { "" };
        format!("{more}{}", counted(self.total, "file"))
    }

    /// The text for the model.
    pub(crate) fn text(&self) -> String {
        let more = self.total.saturating_sub(self.named.len() as u64);
        match (self.named.is_empty(), more) {
            (true, _) => format!(
                "no file matches {} in {} (hidden and ignored files are left out)",
                self.pattern, self.folder
            ),
            (false, 0) => self.named.join("\n"),
            (false, more) => {
                format!("{}\n[{} more, older]", self.named.join("\n"), counted(more, "file"))
            }
        }
    }

    pub(crate) fn raw_output(&self) -> Value {
        json!({ "files": self.total, "named": self.named.len() })
    }
}
