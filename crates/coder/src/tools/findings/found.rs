//! Files whose names match a pattern.

use crate::tools::fit::counted;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The files found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Found {
    /// The pattern.
    pub(crate) pattern: String,
    /// The folder, for people.
    pub(crate) folder: String,
    /// The newest [`FILES_NAMED`](super::FILES_NAMED) files for people, the newest first.
    pub(crate) named: Vec<String>,
    /// How many there are.
    pub(crate) total: u64,
    /// Whether there are more than were counted.
    pub(crate) uncounted: bool,
}

impl Found {
    /// How many files there are, in words.
    pub(crate) fn count(&self) -> String {
        let more = if self.uncounted { "more than " } else { "" };
        format!("{more}{}", counted(self.total, "file"))
    }

    /// The text for the model.
    pub(crate) fn text(&self) -> String {
        let more = self.total.saturating_sub(self.named.len() as u64);
        match (self.named.is_empty(), more) {
            (true, _) => format!(
                "no file fits {} in {} (hidden files and those that .gitignore names are left out)",
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
