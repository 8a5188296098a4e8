//! The patch format that GPT models are trained on: parsing a patch and applying it to a text.
//!
//! Files are listed between `*** Begin Patch` and `*** End Patch`. A file begins with
//! `*** Add File: PATH`, followed by lines that begin with `+`; with `*** Delete File: PATH`; or
//! with `*** Update File: PATH`, followed by an optional `*** Move to: PATH` and hunks. A hunk
//! begins with `@@`, optionally followed by a line of the file that precedes the change. The lines
//! of a hunk begin with a space (kept), `-` (removed) or `+` (added). `*** End of File` says that
//! the hunk ends at the end of the file. Lines must match exactly or, if they match nowhere, except
//! for trailing white space.

use crate::tools::files::document::line_end;
use crate::tools::fit::one_line;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// A patch of several files.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Patch {
    pub(crate) files: Vec<FilePatch>,
}

/// The change to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum FilePatch {
    /// Creates the file.
    Add { path: String, text: String },
    /// Deletes the file.
    Delete { path: String },
    /// Changes the file, moves it, or both.
    Update { path: String, moved_to: Option<String>, hunks: Vec<Hunk> },
}

/// One change within a file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Hunk {
    /// Lines of the file that precede the change, the outermost first.
    pub(crate) behind: Vec<String>,
    pub(crate) lines: Vec<HunkLine>,
    /// Whether the hunk ends at the end of the file.
    pub(crate) at_end: bool,
}

/// One line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum HunkLine {
    Stays(String),
    Goes(String),
    Comes(String),
}

impl FilePatch {
    /// The file, and its new path if it moves.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        let (path, moved_to) = match self {
            Self::Add { path, .. } | Self::Delete { path } => (path, None),
            Self::Update { path, moved_to, .. } => (path, moved_to.as_deref()),
        };
        std::iter::once(path.as_str()).chain(moved_to)
    }
}

impl Patch {
    /// Parses a patch. Text before and after it, such as a code fence, is ignored.
    ///
    /// # Errors
    /// Returns a sentence for the model that says which line is wrong, and why.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut lines =
            text.lines().enumerate().skip_while(|(_, line)| line.trim() != "*** Begin Patch");
        if lines.next().is_none() {
            return Err("the patch does not begin with a line *** Begin Patch".to_owned());
        }
        let mut files: Vec<FilePatch> = Vec::new();
        for (number, line) in lines {
            let wrong = |what: &str| {
                Err(format!("line {} of the patch, `{}`, {what}", number + 1, one_line(line, 80)))
            };
            let mark = line.trim_end();
            if mark.trim_start() == "*** End Patch" {
                return match files.iter().find(|file| file.does_nothing()) {
                    Some(file) => Err(format!(
                        "the patch changes nothing in {}",
                        file.paths().next().unwrap_or_default()
                    )),
                    None if files.is_empty() => Err("the patch names no file".to_owned()),
                    None => Ok(Self { files }),
                };
            }
            if let Some(path) = mark.strip_prefix("*** Add File: ") {
                files.push(FilePatch::Add { path: path.trim().to_owned(), text: String::new() });
            } else if let Some(path) = mark.strip_prefix("*** Delete File: ") {
                files.push(FilePatch::Delete { path: path.trim().to_owned() });
            } else if let Some(path) = mark.strip_prefix("*** Update File: ") {
                let path = path.trim().to_owned();
                files.push(FilePatch::Update { path, moved_to: None, hunks: Vec::new() });
            } else {
                match files.last_mut() {
                    None => return wrong("comes before the first file"),
                    Some(FilePatch::Delete { .. }) if mark.is_empty() => {}
                    Some(FilePatch::Delete { .. }) => {
                        return wrong("belongs to a file that is deleted");
                    }
                    Some(FilePatch::Add { text, .. }) => match line.strip_prefix('+') {
                        Some(line) => {
                            text.push_str(line);
                            text.push('\n');
                        }
                        None if mark.is_empty() => {}
                        None => return wrong("must begin with +, like all lines of a new file"),
                    },
                    Some(FilePatch::Update { moved_to, hunks, .. }) => {
                        if let Some(path) = mark.strip_prefix("*** Move to: ") {
                            *moved_to = Some(path.trim().to_owned());
                        } else if let Err(what) = read_line(hunks, line) {
                            return wrong(what);
                        }
                    }
                }
            }
        }
        Err("the patch does not end with a line *** End Patch".to_owned())
    }
}

impl FilePatch {
    fn does_nothing(&self) -> bool {
        matches!(
            self,
            Self::Update { moved_to: None, hunks, .. }
                if hunks.iter().all(|hunk| hunk.lines.is_empty())
        )
    }
}

/// Parses a line of an updated file.
fn read_line(hunks: &mut Vec<Hunk>, line: &str) -> Result<(), &'static str> {
    if line.trim_end() == "*** End of File" {
        return match hunks.last_mut() {
            Some(hunk) => {
                hunk.at_end = true;
                Ok(())
            }
            None => Err("comes before the first hunk"),
        };
    }
    if let Some(behind) = line.strip_prefix("@@") {
        // Several consecutive `@@` lines narrow down the place.
        if hunks.last().is_none_or(|hunk| !hunk.lines.is_empty()) {
            hunks.push(Hunk::default());
        }
        let behind = behind.trim();
        // Line numbers, as in other patch formats, are ignored.
        if let Some(hunk) = hunks.last_mut().filter(|_| !behind.is_empty() && !is_numbers(behind)) {
            hunk.behind.push(behind.to_owned());
        }
        return Ok(());
    }
    let read = match line.split_at_checked(1) {
        None => HunkLine::Stays(String::new()),
        Some((" ", rest)) => HunkLine::Stays(rest.to_owned()),
        Some(("-", rest)) => HunkLine::Goes(rest.to_owned()),
        Some(("+", rest)) => HunkLine::Comes(rest.to_owned()),
        _ => return Err("must begin with a space, - or +, or with @@ or ***"),
    };
    match hunks.last_mut() {
        Some(hunk) if hunk.at_end && line.is_empty() => {}
        Some(hunk) if hunk.at_end => return Err("comes after the end of its file"),
        Some(hunk) => hunk.lines.push(read),
        None => hunks.push(Hunk { lines: vec![read], ..Hunk::default() }),
    }
    Ok(())
}

/// Whether the text is a range of line numbers from other patch formats, such as `-1,3 +1,4 @@`.
fn is_numbers(text: &str) -> bool {
    text.ends_with("@@") && text.starts_with('-')
}

/// Returns the text after all hunks, which are applied from top to bottom. Line endings stay as
/// they are, and none is added to a last line without one.
///
/// # Errors
/// Returns a sentence for the model if the lines of a hunk do not occur in the text, or more than
/// once.
pub(crate) fn patched(hunks: &[Hunk], text: &str, shown: &str) -> Result<String, String> {
    let old: Vec<&str> = text.split_inclusive('\n').collect();
    let (usual, ends_open) = (line_end(text), !text.is_empty() && !text.ends_with('\n'));
    let (mut new, mut done) = (Vec::<String>::new(), 0);
    for (index, hunk) in hunks.iter().enumerate() {
        let place = hunk.place(&old, done);
        let at = place.map_err(|why| format!("hunk {} for {shown} {why}", index + 1))?;
        new.extend(old.get(done..at).unwrap_or_default().iter().map(|line| (*line).to_owned()));
        done = at + hunk.apply(old.get(at..).unwrap_or_default(), usual, &mut new);
    }
    new.extend(old.get(done..).unwrap_or_default().iter().map(|line| (*line).to_owned()));
    // The former last line may now have lines after it, and another line may be the last one.
    let last = new.len().saturating_sub(1);
    for (index, line) in new.iter_mut().enumerate() {
        if index < last && !line.ends_with('\n') {
            line.push_str(usual);
        }
    }
    if let (true, Some(line)) = (ends_open, new.last_mut()) {
        line.truncate(line.trim_end_matches(['\r', '\n']).len());
    }
    Ok(new.concat())
}

impl Hunk {
    /// The length of the hunk's lines, in bytes.
    pub(crate) fn length(&self) -> usize {
        let of_line = |line: &HunkLine| match line {
            HunkLine::Stays(line) | HunkLine::Goes(line) | HunkLine::Comes(line) => line.len() + 1,
        };
        self.lines.iter().map(of_line).sum()
    }

    /// The lines that must exist in the file.
    fn required_lines(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter_map(|line| match line {
            HunkLine::Stays(line) | HunkLine::Goes(line) => Some(line.as_str()),
            HunkLine::Comes(_) => None,
        })
    }

    /// The index of the line where the hunk begins. The first `done` lines are already processed.
    fn place(&self, old: &[&str], done: usize) -> Result<usize, String> {
        let mut from = done;
        for behind in &self.behind {
            let rest = old.get(from..).unwrap_or_default();
            match rest.iter().position(|line| line.trim() == behind) {
                Some(at) => from += at + 1,
                None => {
                    let quoted = one_line(behind, 80);
                    return Err(format!(
                        "follows `{quoted}`, which is not in the file: read the file and correct the hunk"
                    ));
                }
            }
        }
        let present: Vec<&str> = self.required_lines().collect();
        if present.is_empty() {
            return Ok(if self.behind.is_empty() || self.at_end { old.len() } else { from });
        }
        let fits = |at: &usize, same: fn(&str, &str) -> bool| {
            let lines = old.get(*at..at + present.len()).unwrap_or_default();
            lines.iter().zip(&present).all(|(line, wanted)| same(without_line_end(line), wanted))
        };
        let most = old.len().saturating_sub(present.len());
        let from = if self.at_end { from.max(most) } else { from };
        let all = |same: fn(&str, &str) -> bool| {
            let places = (from..=most).filter(|_| present.len() <= old.len());
            places.filter(|at| fits(at, same)).collect::<Vec<_>>()
        };
        let mut places = all(|line, wanted| line == wanted);
        if places.is_empty() {
            places = all(|line, wanted| line.trim_end() == wanted.trim_end());
        }
        let quoted = one_line(present.first().copied().unwrap_or_default(), 80);
        match places.as_slice() {
            [] => Err(format!(
                "has no place: the file does not contain its lines from `{quoted}` on; read the file and correct the hunk"
            )),
            [at] => Ok(*at),
            [at, ..] if !self.behind.is_empty() => Ok(*at),
            several => Err(format!(
                "has {} places: its lines from `{quoted}` on occur that often; give more context, or a line @@ with a line above",
                several.len()
            )),
        }
    }

    /// Adds the hunk's lines to `new`, and returns how many lines they replace at the start of
    /// `rest`. Kept lines are copied from the file.
    fn apply(&self, rest: &[&str], usual: &str, new: &mut Vec<String>) -> usize {
        let (mut rest, mut count) = (rest.iter(), 0);
        // The line endings of removed lines that have no replacement yet.
        let mut ends = VecDeque::new();
        for line in &self.lines {
            match line {
                HunkLine::Stays(_) => {
                    count += 1;
                    ends.clear();
                    new.extend(rest.next().map(|line| (*line).to_owned()));
                }
                HunkLine::Goes(_) => {
                    count += 1;
                    ends.extend(rest.next().map(|line| end_of(line)));
                }
                HunkLine::Comes(line) => {
                    let end = ends.pop_front().filter(|end| !end.is_empty()).unwrap_or(usual);
                    new.push(format!("{line}{end}"));
                }
            }
        }
        count
    }
}

/// A line without its line ending.
fn without_line_end(line: &str) -> &str {
    line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line))
}

fn end_of(line: &str) -> &str {
    line.get(without_line_end(line).len()..).unwrap_or_default()
}

#[cfg(test)]
mod tests;
