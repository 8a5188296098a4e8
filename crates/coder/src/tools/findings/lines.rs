//! Lines of a file, or the reason why it has no readable lines.

use crate::tools::files::document::{Document, Encoding};
use crate::tools::fit::{json_text_length, start_within};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The maximum text of one read, in bytes of JSON. The text ends at a whole line unless the first
/// line is longer.
const TEXT_GIVEN: usize = 20 * 1024;

/// Some lines of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Lines {
    /// The file's display name.
    pub(crate) path: String,
    /// The exact text of the lines, beginning with line `first`.
    pub(crate) text: String,
    /// The number of the first line.
    pub(crate) first: u32,
    /// The number of lines in `text`.
    pub(crate) given: u32,
    /// The number of lines in the file, including a last line without a line ending.
    pub(crate) total: u32,
    /// Whether the text is a single line that is cut because it is too long.
    pub(crate) cut: bool,
    /// The file's encoding, if it is not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) encoding: Option<String>,
}

/// The reason why no text was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Unreadable {
    /// The file does not exist.
    Missing(String),
    /// The path leads to a folder.
    Folder(String),
    /// Any other reason.
    Other(String),
}

impl Unreadable {
    /// The reason, as a sentence.
    pub(crate) fn sentence(&self) -> &str {
        match self {
            Self::Missing(sentence) | Self::Folder(sentence) | Self::Other(sentence) => sentence,
        }
    }
}

impl Lines {
    /// Returns the lines of a document from `line` on: as many as fit, but at most `limit`.
    pub(in crate::tools) fn of(
        path: &str,
        document: &Document,
        line: Option<u32>,
        limit: Option<u32>,
    ) -> Self {
        let text = &document.text;
        let encoding = Some(document.encoding).filter(|encoding| *encoding != Encoding::Utf8);
        let first = line.unwrap_or(1).max(1);
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let mut lines = Lines {
            path: path.to_owned(),
            text: String::new(),
            first,
            given: 0,
            total: number(text.split_inclusive('\n').count()),
            cut: false,
            encoding: encoding.map(|encoding| encoding.name().to_owned()),
        };
        let mut length = 0;
        let wanted = text.split_inclusive('\n').skip(first as usize - 1);
        for line in wanted.take(limit.map_or(usize::MAX, |limit| limit as usize)) {
            length += json_text_length(line);
            if length > TEXT_GIVEN {
                if lines.given == 0 {
                    lines.text = start_within(line, TEXT_GIVEN).to_owned();
                    (lines.given, lines.cut) = (1, true);
                }
                break;
            }
            lines.text.push_str(line);
            lines.given += 1;
        }
        lines
    }

    /// The number of the last line in `text`.
    pub(crate) fn last(&self) -> u32 {
        self.first.saturating_add(self.given).saturating_sub(1)
    }

    /// The text for the model.
    pub(crate) fn text(&self) -> String {
        let encoding = self.encoding.as_ref().map(|name| format!(" in {name}")).unwrap_or_default();
        match (self.given, self.total) {
            (_, 0) => format!("[{} is empty]", self.path),
            (0, total) => format!("[{} has only {total} lines]", self.path),
            (_, total) => {
                format!(
                    "[lines {}-{} of {total}{encoding}]\n{}",
                    self.first,
                    self.last(),
                    self.text
                )
            }
        }
    }

    pub(crate) fn raw_output(&self) -> Value {
        json!({ "first": self.first, "lines": self.given, "total": self.total, "cut": self.cut })
    }
}

#[cfg(test)]
mod tests {
    use super::{Document, Lines};

    fn lines(text: &str, line: Option<u32>, limit: Option<u32>) -> (String, u32, u32, u32) {
        let lines = Lines::of("f", &Document::new(text), line, limit);
        (lines.text.clone(), lines.first, lines.last(), lines.total)
    }

    #[test]
    fn lines_are_exact_with_their_line_ends() {
        assert_eq!(lines("a\r\nb\nc", None, None), ("a\r\nb\nc".into(), 1, 3, 3));
        assert_eq!(lines("a\r\nb\nc", Some(2), Some(1)), ("b\n".into(), 2, 2, 3));
        assert_eq!(lines("a\n", Some(0), Some(9)), ("a\n".into(), 1, 1, 1));
        assert_eq!(lines("a\n", Some(7), None), (String::new(), 7, 6, 1));
        assert_eq!(lines("", None, None).3, 0);
    }

    #[test]
    fn long_file_ends_at_a_whole_line_and_a_long_line_is_cut() {
        let text = format!("{}\n", "x".repeat(99)).repeat(10_000);
        let lines = Lines::of("f", &Document::new(text), None, None);
        assert!(lines.text.ends_with('\n') && lines.text.len() < 21_000 && lines.total == 10_000);
        let lines = Lines::of("f", &Document::new("\u{1}".repeat(1_000_000)), None, None);
        assert!(lines.cut && lines.text.len() < 4_000 && lines.total == 1);
    }
}
