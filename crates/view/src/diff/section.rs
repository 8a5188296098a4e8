//! The sections of a patch in git's form, one for each file.

use super::compare::{Compared, RawHunk, RawLine};
use crate::row::diff_row::LineChange;
use crate::sanitize;
use attache_protocol::v2::DiffOperation;

/// The mode of a file that is not executable.
const PLAIN_FILE: &str = "100644";

/// A section of a patch.
#[derive(Debug, Default)]
pub(super) struct Section<'p> {
    /// Lines that are neither the header of a hunk nor in a hunk.
    headers: Vec<&'p str>,
    pub(super) compared: Compared<'p>,
}

/// Splits a patch into the sections of its files.
pub(super) fn sections(patch: &str) -> Vec<Section<'_>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    let mut lines = patch.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("diff --git ") || sections.is_empty() {
            sections.push(Section { headers: vec![line], ..Section::default() });
            continue;
        }
        let Some(section) = sections.last_mut() else { continue };
        match hunk_header(line) {
            Some(numbers) => {
                let hunk = Header::read(numbers).hunk(&mut lines, &mut section.compared);
                section.compared.hunks.push(hunk);
            }
            None => section.headers.push(line),
        }
    }
    sections
}

fn hunk_header(line: &str) -> Option<&str> {
    line.strip_prefix("@@ ")
}

/// The numbers of a hunk's header.
struct Header {
    old: (usize, usize),
    new: (usize, usize),
}

impl Header {
    /// Reads `-1,2 +3,4 @@`. A missing number counts as 0, and a missing length as 1.
    fn read(numbers: &str) -> Self {
        let mut words = numbers.split(' ');
        let mut range = |sign: char| {
            let word = words.next().and_then(|word| word.strip_prefix(sign)).unwrap_or("0,0");
            let (start, length) = word.split_once(',').unwrap_or((word, "1"));
            (start.parse().unwrap_or(0), length.parse().unwrap_or(0))
        };
        Self { old: range('-'), new: range('+') }
    }

    /// Reads the lines of the hunk: as many as the header says, or fewer if other lines come first.
    fn hunk<'p>(
        self,
        lines: &mut std::iter::Peekable<std::str::Lines<'p>>,
        compared: &mut Compared<'p>,
    ) -> RawHunk<'p> {
        let mut hunk = RawHunk { old_start: self.old.0, new_start: self.new.0, lines: Vec::new() };
        let (mut old, mut new) = (self.old.1, self.new.1);
        while let Some(line) = lines.peek().copied() {
            if line.starts_with('\\') {
                if let Some(last) = hunk.lines.last_mut() {
                    last.is_unfinished = true;
                }
                lines.next();
                continue;
            }
            let change = match line.chars().next() {
                Some('+') if new > 0 => LineChange::Added,
                Some('-') if old > 0 => LineChange::Removed,
                Some(' ') | None if old > 0 && new > 0 => LineChange::Same,
                _ => break,
            };
            if change != LineChange::Added {
                old -= 1;
            }
            if change != LineChange::Removed {
                new -= 1;
            }
            compared.added += usize::from(change == LineChange::Added);
            compared.removed += usize::from(change == LineChange::Removed);
            let text = line.get(1..).unwrap_or_default();
            hunk.lines.push(RawLine { change, text, is_unfinished: false });
            lines.next();
        }
        hunk
    }
}

impl Section<'_> {
    /// Returns the headers that the operation does not already say. They may contradict it.
    pub(super) fn unexplained(&self, operation: &DiffOperation) -> Vec<String> {
        let known = known_headers(operation);
        let is_odd = |header: &&&str| {
            !is_plain_index(header)
                && !is_similarity(header)
                && !known.iter().any(|known| known == **header)
        };
        let odd = self.headers.iter().filter(is_odd).filter(|header| !header.is_empty());
        odd.map(|header| sanitize::visible_line(header)).collect()
    }
}

/// Returns the headers that only repeat the operation.
fn known_headers(operation: &DiffOperation) -> Vec<String> {
    use DiffOperation::{Add, Copy, Delete, Modify, Move, Unknown};
    let (before, after) = match operation {
        Add(file) | Delete(file) | Modify(file) => (file.path.as_str(), file.path.as_str()),
        Move(file) | Copy(file) => (file.old_path.as_str(), file.path.as_str()),
        Unknown(_) => return Vec::new(),
    };
    let old = if matches!(operation, Add(_)) { "/dev/null" } else { before };
    let new = if matches!(operation, Delete(_)) { "/dev/null" } else { after };
    let mut known =
        vec![format!("diff --git {before} {after}"), format!("--- {old}"), format!("+++ {new}")];
    known.extend(match operation {
        Add(_) => vec!["new file mode".to_owned(), format!("new file mode {PLAIN_FILE}")],
        Delete(_) => {
            vec!["deleted file mode".to_owned(), format!("deleted file mode {PLAIN_FILE}")]
        }
        Move(_) => vec![format!("rename from {before}"), format!("rename to {after}")],
        Copy(_) => vec![format!("copy from {before}"), format!("copy to {after}")],
        Modify(_) | Unknown(_) => Vec::new(),
    });
    known
}

/// Whether a header has only the ids of the contents, and perhaps the mode of a plain file.
fn is_plain_index(line: &str) -> bool {
    let Some(ids) = line.strip_prefix("index ") else { return false };
    let (ids, mode) = ids.split_once(' ').unwrap_or((ids, PLAIN_FILE));
    let is_id = |id: &str| !id.is_empty() && id.chars().all(|each| each.is_ascii_hexdigit());
    mode == PLAIN_FILE
        && ids.split_once("..").is_some_and(|(before, after)| is_id(before) && is_id(after))
}

/// Whether a header says only how similar two files are.
fn is_similarity(line: &str) -> bool {
    let percent = ["similarity index ", "dissimilarity index "].iter();
    let percent = percent.filter_map(|start| line.strip_prefix(start)?.strip_suffix('%')).next();
    percent.is_some_and(|number| number.parse::<u8>().is_ok())
}
