//! The patch format that GPT models are trained on: what it says, and what a text is after it.
//!
//! Between `*** Begin Patch` and `*** End Patch` stand files, each with one of `*** Add File: PATH`
//! and lines that begin with `+`, `*** Delete File: PATH`, or `*** Update File: PATH`, perhaps
//! `*** Move to: PATH`, and hunks. A hunk begins with `@@`, perhaps with a line of the file behind
//! which it is; its lines begin with a space (they stay), `-` (they go) or `+` (they come);
//! `*** End of File` says that it ends where the file does. Lines are compared exactly, or else but
//! for white space at their ends.

use crate::tools::files::document::line_end;
use crate::tools::fit::one_line;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// A patch of several files.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Patch {
    pub(crate) files: Vec<FilePatch>,
}

/// The change of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum FilePatch {
    /// It is made.
    Add { path: String, text: String },
    /// It is deleted.
    Delete { path: String },
    /// It is changed, moved, or both.
    Update { path: String, moved_to: Option<String>, hunks: Vec<Hunk> },
}

/// One change within a file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Hunk {
    /// Lines of the file behind which it is, the outermost first.
    pub(crate) behind: Vec<String>,
    pub(crate) lines: Vec<HunkLine>,
    /// Whether it ends where the file does.
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
    /// The file, and where it is moved to.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        let (path, moved_to) = match self {
            Self::Add { path, .. } | Self::Delete { path } => (path, None),
            Self::Update { path, moved_to, .. } => (path, moved_to.as_deref()),
        };
        std::iter::once(path.as_str()).chain(moved_to)
    }
}

impl Patch {
    /// Reads a patch; what stands before and behind it, such as a code fence, is not looked at.
    ///
    /// # Errors
    /// One sentence for the model: what is wrong in which line.
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
                    None => return wrong("stands before any file"),
                    Some(FilePatch::Delete { .. }) if mark.is_empty() => {}
                    Some(FilePatch::Delete { .. }) => {
                        return wrong("stands below a file that is deleted");
                    }
                    Some(FilePatch::Add { text, .. }) => match line.strip_prefix('+') {
                        Some(line) => {
                            text.push_str(line);
                            text.push('\n');
                        }
                        None if mark.is_empty() => {}
                        None => return wrong("must begin with + as all lines of a new file do"),
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
        matches!(self, Self::Update { moved_to: None, hunks, .. } if hunks.iter().all(|hunk| hunk.lines.is_empty()))
    }
}

/// Reads a line of an updated file.
fn read_line(hunks: &mut Vec<Hunk>, line: &str) -> Result<(), &'static str> {
    if line.trim_end() == "*** End of File" {
        return match hunks.last_mut() {
            Some(hunk) => {
                hunk.at_end = true;
                Ok(())
            }
            None => Err("stands before any hunk"),
        };
    }
    if let Some(behind) = line.strip_prefix("@@") {
        // Several of them in a row narrow down the place.
        if hunks.last().is_none_or(|hunk| !hunk.lines.is_empty()) {
            hunks.push(Hunk::default());
        }
        let behind = behind.trim();
        // Line numbers as other formats have them say nothing here.
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
        Some(hunk) if hunk.at_end => return Err("stands behind the end of its file"),
        Some(hunk) => hunk.lines.push(read),
        None => hunks.push(Hunk { lines: vec![read], ..Hunk::default() }),
    }
    Ok(())
}

/// Whether it is `-1,3 +1,4 @@` as other formats of patches have it.
fn is_numbers(text: &str) -> bool {
    text.ends_with("@@") && text.starts_with('-')
}

/// The text after all hunks, made one after the other from top to bottom; line ends stay, and a
/// missing last one does.
///
/// # Errors
/// One sentence for the model: which hunk has no place, or several.
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
    // What was the last line may have others behind it now, and others may be the last.
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
    /// How long its lines are, in bytes.
    pub(crate) fn length(&self) -> usize {
        let of_line = |line: &HunkLine| match line {
            HunkLine::Stays(line) | HunkLine::Goes(line) | HunkLine::Comes(line) => line.len() + 1,
        };
        self.lines.iter().map(of_line).sum()
    }

    /// The lines that must be there.
    fn present(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter_map(|line| match line {
            HunkLine::Stays(line) | HunkLine::Goes(line) => Some(line.as_str()),
            HunkLine::Comes(_) => None,
        })
    }

    /// Where it begins in lines of which the first `done` are behind us.
    fn place(&self, old: &[&str], done: usize) -> Result<usize, String> {
        let mut from = done;
        for behind in &self.behind {
            let rest = old.get(from..).unwrap_or_default();
            match rest.iter().position(|line| line.trim() == behind) {
                Some(at) => from += at + 1,
                None => {
                    let quoted = one_line(behind, 80);
                    return Err(format!(
                        "is behind `{quoted}`, which is not there: read the file and mend it"
                    ));
                }
            }
        }
        let present: Vec<&str> = self.present().collect();
        if present.is_empty() {
            return Ok(if self.behind.is_empty() || self.at_end { old.len() } else { from });
        }
        let fits = |at: &usize, same: fn(&str, &str) -> bool| {
            let lines = old.get(*at..at + present.len()).unwrap_or_default();
            lines.iter().zip(&present).all(|(line, wanted)| same(bare(line), wanted))
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
                "has no place: its lines from `{quoted}` on are not there as given; read the file and mend it"
            )),
            [at] => Ok(*at),
            [at, ..] if !self.behind.is_empty() => Ok(*at),
            several => Err(format!(
                "has {} places: its lines from `{quoted}` on stand that often; give more of the lines around, or a line @@ with what is above",
                several.len()
            )),
        }
    }

    /// Adds its lines to `new`, in place of the first of `rest`; gives how many of those it is
    /// instead of. What stays, stays as it is in the file.
    fn apply(&self, rest: &[&str], usual: &str, new: &mut Vec<String>) -> usize {
        let (mut rest, mut count) = (rest.iter(), 0);
        // The ends of the lines that went and have no other in their place yet.
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

/// A line without its end.
fn bare(line: &str) -> &str {
    line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line))
}

fn end_of(line: &str) -> &str {
    line.get(bare(line).len()..).unwrap_or_default()
}

#[cfg(test)]
mod tests;
