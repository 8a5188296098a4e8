//! Tool results as data: the members that the offline model reads.
//!
//! The built-in agent stores results under these names, so the names must not change.

use crate::text::counted;
use serde::Deserialize;
use serde_json::Value;

/// The result of one tool call.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) enum Found {
    /// Lines of a file.
    Lines(Lines),
    /// A file that could not be read.
    Unreadable(Unreadable),
    /// Lines that contain a text.
    Matches(Matches),
    /// Files.
    Files(Files),
    /// A changed file.
    Edited(Edited),
    /// A command that ran.
    Ran(Ran),
    /// The user or the mode did not allow the call.
    NotAllowed,
    /// The tool asked a question, which the user answers with the next prompt.
    Asked,
    /// The result has no data that this module can read, only text.
    Nothing,
}

/// Some lines of a file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Lines {
    pub(crate) path: String,
    pub(crate) text: String,
    /// The line number of the first line.
    pub(crate) first: u32,
    /// The number of lines in `text`.
    pub(crate) given: u32,
    /// The number of lines in the file.
    pub(crate) total: u32,
    /// Whether `text` is only the beginning of one line, because the line is too long.
    pub(crate) cut: bool,
}

/// The reason why a file could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) enum Unreadable {
    Missing(String),
    Folder(String),
    Other(String),
}

/// One line that contains the text.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Match {
    pub(crate) path: String,
    pub(crate) line: u32,
    pub(crate) text: String,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Matches {
    /// The display name of the file or folder that was searched.
    pub(crate) place: String,
    /// The first matching lines.
    pub(crate) lines: Vec<Match>,
    /// The number of matching lines.
    pub(crate) total: u64,
    /// The first files with matches, each with the numbers of its first and last matching lines.
    pub(crate) files: Vec<(String, u32, u32)>,
    /// The number of files with matches.
    pub(crate) holding: u64,
    /// The number of files that were searched.
    pub(crate) searched: u64,
    /// The number of files that could not be searched.
    pub(crate) skipped: u64,
    /// The number of files that were left out because they may contain secrets, or because a rule
    /// forbids reading them.
    #[serde(default)]
    pub(crate) left_out: u64,
}

/// A list of files.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Files {
    /// The folder's display name.
    pub(crate) folder: String,
    /// Some of the files, those nearest to the folder first.
    pub(crate) named: Vec<String>,
    /// The number of files.
    pub(crate) total: u64,
    /// Whether there are more than `total` files, because counting stopped early.
    pub(crate) uncounted: bool,
    /// The most frequent extensions, each with its number of files.
    pub(crate) extensions: Vec<(String, u64)>,
    /// The first folders, each with its number of files.
    pub(crate) folders: Vec<(String, u64)>,
    /// The number of folders.
    pub(crate) folders_total: u64,
}

/// The result of an edit.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Edited {
    pub(crate) path: String,
    /// The number of places that were changed.
    pub(crate) places: u64,
}

/// The result of a command.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Ran {
    /// The output. The middle is left out if it is long.
    pub(crate) output: String,
    /// How the command ended, in words.
    pub(crate) end: String,
}

impl Found {
    /// Reads the data of a result. Returns [`Found::Nothing`] for data in any other form.
    pub(crate) fn of(data: Option<&Value>) -> Self {
        data.and_then(|data| Self::deserialize(data).ok()).unwrap_or(Self::Nothing)
    }
}

impl Lines {
    /// Returns the line number of the last line.
    pub(crate) fn last(&self) -> u32 {
        self.first.saturating_add(self.given).saturating_sub(1)
    }
}

impl Files {
    /// Returns the number of files, in words.
    pub(crate) fn count(&self) -> String {
        let more = if self.uncounted { "more than " } else { "" };
        format!("{more}{}", counted(self.total, "file"))
    }
}

impl Matches {
    /// Returns a phrase that says how many files were searched, could not be read, and were left
    /// out.
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
}
