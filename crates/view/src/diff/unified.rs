//! Changes in the unified format, with their exact text.

use super::compare::compare;
use crate::row::diff_row::{LineChange, header};

/// The difference of two texts in the unified format, with three unchanged lines around each
/// change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnifiedDiff {
    /// The number of added lines.
    pub added: usize,
    /// The number of removed lines.
    pub removed: usize,
    /// The lines, with the headers of the hunks.
    pub lines: Vec<UnifiedLine>,
}

/// A line of a difference in the unified format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnifiedLine {
    /// The header of a hunk, such as `@@ -1,7 +1,8 @@`.
    Header(String),
    /// A line of the old text, of the new text or of both, with its sign and without a line feed.
    /// It is not sanitized.
    Line(LineChange, String),
    /// The changed line above is the last one of its text and has no line feed.
    NoLineFeed,
}

/// Compares the texts of a file before and after a change. Pass texts that are safe to print: the
/// lines are not sanitized.
///
/// Texts of more than 200,000 lines or 16 MB that differ are not compared: all lines between the
/// first and the last difference count as changed.
pub fn unified_diff(old: &str, new: &str) -> UnifiedDiff {
    let compared = compare(old, new);
    let mut lines = Vec::new();
    for hunk in &compared.hunks {
        let count = |other| hunk.lines.iter().filter(|line| line.change != other).count();
        let old = (hunk.old_start, count(LineChange::Added));
        let new = (hunk.new_start, count(LineChange::Removed));
        lines.push(UnifiedLine::Header(header(old, new)));
        for line in &hunk.lines {
            let text = format!("{}{}", line.change.sign(), line.text);
            lines.push(UnifiedLine::Line(line.change, text));
            if line.is_unfinished && line.change != LineChange::Same {
                lines.push(UnifiedLine::NoLineFeed);
            }
        }
    }
    UnifiedDiff { added: compared.added, removed: compared.removed, lines }
}
