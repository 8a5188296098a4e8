//! The read tool: the text of a file, as the client or else the disk has it.

use super::Toolbox;
use super::fit::{json_text_length, start_within};
use crate::folders::{Folders, Place};
use attache_agent::{Error, Result};
use attache_host::FileError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::io::Read as _;

/// The largest file that is read, in bytes. A client's answer must fit on one line of the protocol with its escapes.
const SIZE_READ: u64 = 4 * 1024 * 1024;

/// How much text one read gives, in bytes of JSON; it ends at a whole line unless the first is longer.
const TEXT_GIVEN: usize = 20 * 1024;

/// How far into a file a zero byte makes it binary, in bytes.
const BINARY_LOOK: u64 = 8 * 1024;

/// What to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Read {
    /// The file.
    pub(crate) path: String,
    /// The first line; 1 unless set.
    pub(crate) line: Option<u32>,
    /// The most lines; as many as fit unless set.
    pub(crate) limit: Option<u32>,
}

/// Some lines of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Lines {
    /// The file, for people.
    pub(crate) path: String,
    /// The lines exactly as they are, the first of them `first`.
    pub(crate) text: String,
    /// The number of the first line.
    pub(crate) first: u32,
    /// How many lines are given.
    pub(crate) given: u32,
    /// How many lines the file has; a last one without line end counts.
    pub(crate) total: u32,
    /// Whether the one line given is cut because it is too long.
    pub(crate) cut: bool,
}

/// Why no text was read: a sentence for the model and the person, or a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Unreadable {
    /// There is no such file.
    Missing(String),
    /// It is a folder.
    Folder(String),
    /// Anything else.
    Other(String),
}

impl Unreadable {
    /// The sentence.
    pub(crate) fn sentence(&self) -> &str {
        match self {
            Self::Missing(sentence) | Self::Folder(sentence) | Self::Other(sentence) => sentence,
        }
    }
}

impl Read {
    pub(crate) fn raw_input(&self) -> Value {
        json!({ "path": self.path, "line": self.line, "limit": self.limit })
    }
}

impl Lines {
    /// The lines of `text` that `read` asks for, as many as fit.
    pub(crate) fn of(path: &str, text: &str, read: &Read) -> Self {
        let first = read.line.unwrap_or(1).max(1);
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let mut lines = Lines {
            path: path.to_owned(),
            text: String::new(),
            first,
            given: 0,
            total: number(text.split_inclusive('\n').count()),
            cut: false,
        };
        let mut length = 0;
        let wanted = text.split_inclusive('\n').skip(first as usize - 1);
        for line in wanted.take(read.limit.map_or(usize::MAX, |limit| limit as usize)) {
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

    /// The number of the last line given.
    pub(crate) fn last(&self) -> u32 {
        self.first.saturating_add(self.given).saturating_sub(1)
    }

    /// What the model reads.
    pub(crate) fn text(&self) -> String {
        match (self.given, self.total) {
            (_, 0) => format!("[{} is empty]", self.path),
            (0, total) => format!("[{} has only {total} lines]", self.path),
            (_, total) => format!("[lines {}-{} of {total}]\n{}", self.first, self.last(), self.text),
        }
    }

    pub(crate) fn raw_output(&self) -> Value {
        json!({ "first": self.first, "lines": self.given, "total": self.total, "cut": self.cut })
    }
}

impl Toolbox<'_> {
    /// The whole text of the file at `place`.
    ///
    /// Through the client when it offers that, so that unsaved changes are seen (FS-02); what the disk has is looked at first, so
    /// that no client is asked for a huge or binary file.
    pub(crate) async fn text(&self, place: &Place) -> Result<std::result::Result<String, Unreadable>> {
        let by_client = self.turn.client().fs.read_text_file;
        let folders = self.memory.folders.clone();
        let here = place.clone();
        let on_disk = self.looking(move |_| on_disk(&folders, &here, by_client)).await?;
        let missing = match on_disk {
            Ok(Some(text)) => return Ok(Ok(text)),
            Ok(None) => None,
            Err(reason @ Unreadable::Missing(_)) if by_client => Some(reason),
            Err(reason) => return Ok(Err(reason)),
        };
        match self.turn.read_text_file(&place.absolute, None, None).await {
            Ok(text) if text.len() as u64 > SIZE_READ => {
                Ok(Err(Unreadable::Other(too_large(place, text.len() as u64))))
            }
            Ok(text) => Ok(Ok(text)),
            Err(Error::Client(error)) => Ok(Err(missing.unwrap_or_else(|| {
                Unreadable::Other(format!("the client could not give {}: {error}", place.shown))
            }))),
            Err(error) => Err(error),
        }
    }
}

/// The file's text, or nothing when it is fit to be asked of the client.
fn on_disk(
    folders: &Folders,
    place: &Place,
    by_client: bool,
) -> std::result::Result<Option<String>, Unreadable> {
    let path = place.resolved.path();
    let unreadable = |error: FileError| unreadable(place, &error);
    let file = folders.roots().open_read(&path).map_err(unreadable)?;
    let size = file.metadata().map_or(0, |found| found.len());
    if size > SIZE_READ {
        return Err(Unreadable::Other(too_large(place, size)));
    }
    if !by_client {
        return folders.roots().read_text(&path, None, None).map(Some).map_err(unreadable);
    }
    let mut start = Vec::new();
    // A file that cannot be read is the client's to explain.
    let _read = file.take(BINARY_LOOK).read_to_end(&mut start);
    match start.contains(&0) {
        true => Err(Unreadable::Other(format!("{} is a binary file: only text can be read", place.shown))),
        false => Ok(None),
    }
}

fn too_large(place: &Place, size: u64) -> String {
    format!("{} is too large: {size} bytes, at most {SIZE_READ} are read; use a search instead", place.shown)
}

/// What went wrong, about the path as people know it.
pub(crate) fn unreadable(place: &Place, error: &FileError) -> Unreadable {
    use attache_host::Reason;
    let sentence = error.to_string().replace(&error.path().display().to_string(), &place.shown);
    match error.reason() {
        Reason::NotFound => Unreadable::Missing(sentence),
        Reason::Folder => Unreadable::Folder(sentence),
        _ => Unreadable::Other(sentence),
    }
}

#[cfg(test)]
mod tests {
    use super::{Lines, Read};

    fn lines(text: &str, line: Option<u32>, limit: Option<u32>) -> (String, u32, u32, u32) {
        let lines = Lines::of("f", text, &Read { path: "f".into(), line, limit });
        (lines.text.clone(), lines.first, lines.last(), lines.total)
    }

    #[test]
    fn lines_are_given_exactly_with_their_ends() {
        assert_eq!(lines("a\r\nb\nc", None, None), ("a\r\nb\nc".into(), 1, 3, 3));
        assert_eq!(lines("a\r\nb\nc", Some(2), Some(1)), ("b\n".into(), 2, 2, 3));
        assert_eq!(lines("a\n", Some(0), Some(9)), ("a\n".into(), 1, 1, 1));
        assert_eq!(lines("a\n", Some(7), None), (String::new(), 7, 6, 1));
        assert_eq!(lines("", None, None).3, 0);
    }

    #[test]
    fn a_long_file_is_given_up_to_a_whole_line_and_a_long_line_in_part() {
        let text = format!("{}\n", "x".repeat(99)).repeat(10_000);
        let read = Read { path: "f".into(), line: None, limit: None };
        let lines = Lines::of("f", &text, &read);
        assert!(lines.text.ends_with('\n') && lines.text.len() < 21_000 && lines.total == 10_000);
        let lines = Lines::of("f", &"\u{1}".repeat(1_000_000), &read);
        assert!(lines.cut && lines.text.len() < 4_000 && lines.total == 1);
    }
}
