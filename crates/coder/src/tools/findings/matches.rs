//! Lines that match a search.

use crate::tools::fit::counted;
use attache_policy::Folders;
use attache_protocol::v1::ToolCallLocation;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The maximum number of lines in a result.
pub(crate) const LINES_NAMED: usize = 100;

/// The maximum number of files in a result.
pub(crate) const SEARCHED_FILES_NAMED: usize = 1_000;

/// The maximum number of places that the client gets.
const MAX_LOCATIONS: usize = 20;

/// The maximum total length of the names of the places that the client gets, in bytes.
const MAX_LOCATION_LENGTH: usize = 1024;

/// One matching line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Match {
    /// The file's display name.
    pub(crate) path: String,
    /// The number of the line, starting at 1.
    pub(crate) line: u32,
    /// The text of the line, which may be cut.
    pub(crate) text: String,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Matches {
    /// The display name of the searched folder or file.
    pub(crate) place: String,
    /// The first [`LINES_NAMED`] lines.
    pub(crate) lines: Vec<Match>,
    /// The number of matching lines.
    pub(crate) total: u64,
    /// The first [`SEARCHED_FILES_NAMED`] files with matches, each with its first and last matching
    /// line.
    pub(crate) files: Vec<(String, u32, u32)>,
    /// The number of files with matches.
    pub(crate) holding: u64,
    /// The number of searched files.
    pub(crate) searched: u64,
    /// The number of files that could not be searched: unreadable, or with a line that is too long.
    pub(crate) skipped: u64,
    /// The number of files left out because they may contain secrets, or because of a rule.
    #[serde(default)]
    pub(crate) left_out: u64,
}

impl Matches {
    /// The text for the model.
    pub(crate) fn text(&self) -> String {
        let lines =
            self.lines.iter().map(|each| format!("{}:{}: {}\n", each.path, each.line, each.text));
        let mut text: String = lines.collect();
        let more = self.total.saturating_sub(self.lines.len() as u64);
        if more > 0 {
            text.push_str(&format!("[{more} more]\n"));
        }
        text + &format!("[{}]", self.searched())
    }

    /// The first places, for the client to show (TOOL-10).
    pub(crate) fn locations(&self, folders: &Folders) -> Vec<ToolCallLocation> {
        let short = self
            .lines
            .iter()
            .filter(|each| each.path.len() <= MAX_LOCATION_LENGTH)
            .take(MAX_LOCATIONS);
        let locations = short.map(|each| {
            // A display name is either absolute or relative to the working directory.
            let mut location =
                ToolCallLocation::new(folders.cwd().join(&each.path).to_string_lossy());
            location.line = Some(each.line);
            location
        });
        locations.collect()
    }

    /// The number of matches, as text.
    pub(crate) fn count(&self) -> String {
        format!("{} in {}", counted(self.total, "line"), counted(self.holding, "file"))
    }

    /// How many files were searched and left out, as text.
    pub(crate) fn searched(&self) -> String {
        let mut text = format!("{} searched", counted(self.searched, "file"));
        if self.skipped > 0 {
            text.push_str(&format!(", {} could not be read", counted(self.skipped, "file")));
        }
        if self.left_out > 0 {
            let left_out = counted(self.left_out, "file");
            text.push_str(&format!(", {left_out} left out because of secrets or rules"));
        }
        text
    }

    pub(crate) fn raw_output(&self) -> Value {
        json!({
            "lines": self.total, "files": self.holding, "searched": self.searched, "skipped": self.skipped,
            "leftOut": self.left_out, "named": self.lines.len(),
        })
    }
}
