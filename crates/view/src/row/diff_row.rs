//! Changes of files.

use crate::span::Line;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Changes of files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct DiffRow {
    /// The files, in the agent's order.
    pub files: Vec<Arc<FileDiff>>,
}

/// The changes of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FileDiff {
    /// The path, relative to the session's folder where possible.
    pub path: Line,
    /// The earlier path of a file that was renamed or copied.
    pub from: Option<Line>,
    /// What happened to the file.
    pub change: FileChange,
    /// The number of added lines.
    pub added: usize,
    /// The number of removed lines.
    pub removed: usize,
    /// The changed places.
    pub hunks: Vec<Hunk>,
    /// Why `hunks` does not show the whole change, in a few words, such as `binary file`.
    pub note: Option<Line>,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum FileChange {
    /// The file is new.
    Created,
    /// The text of the file changed.
    Changed,
    /// The file was deleted.
    Deleted,
    /// The file was renamed.
    Renamed,
    /// The file was copied.
    Copied,
}

/// A changed place of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Hunk {
    /// The number of the first line before the change, from 1, or 0 without such a line.
    pub old_start: usize,
    /// The number of the first line after the change, from 1, or 0 without such a line.
    pub new_start: usize,
    /// The lines, with some unchanged lines around them.
    pub lines: Vec<HunkLine>,
}

impl Hunk {
    /// Returns the header in the unified format, such as `@@ -1,7 +1,8 @@`.
    pub fn header(&self) -> String {
        let count = |other| self.lines.iter().filter(|line| line.change != other).count();
        let old = (self.old_start, count(LineChange::Added));
        header(old, (self.new_start, count(LineChange::Removed)))
    }
}

/// Returns the header of a hunk from the first lines and the numbers of lines in both texts.
pub(crate) fn header(old: (usize, usize), new: (usize, usize)) -> String {
    let range = |(start, count): (usize, usize)| match count {
        1 => start.to_string(),
        count => format!("{start},{count}"),
    };
    format!("@@ -{} +{} @@", range(old), range(new))
}

impl LineChange {
    /// Returns the sign of the line in the unified format.
    pub fn sign(self) -> char {
        match self {
            Self::Same => ' ',
            Self::Removed => '-',
            Self::Added => '+',
        }
    }
}

/// A line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct HunkLine {
    /// Whether the line was added or removed.
    pub change: LineChange,
    /// The text, with the roles of its syntax; words that differ are `changed`.
    pub line: Line,
}

/// Whether a line was added or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum LineChange {
    /// Unchanged.
    Same,
    /// Removed.
    Removed,
    /// Added.
    Added,
}
