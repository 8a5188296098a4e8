//! The lines of hunks, with the roles of their syntax and the words that differ.

use super::compare::{Compared, RawHunk, RawLine};
use super::text::visible;
use super::words;
use crate::extent::Extent;
use crate::row::diff_row::{Hunk, HunkLine, LineChange};
use crate::span::{Line, Role, Span};
use crate::syntax;
use std::ops::Range;

/// The number of lines whose syntax is marked.
const HIGHLIGHTED: usize = 5_000;

/// The number of lines of a file that are shown, and the length in bytes to which a line is cut.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineLimit {
    lines: usize,
    bytes: usize,
}

impl LineLimit {
    pub(super) fn of(extent: Extent) -> Self {
        match extent {
            Extent::Row => Self { lines: 400, bytes: 2_000 },
            Extent::Whole => Self { lines: usize::MAX, bytes: usize::MAX },
        }
    }
}

/// Returns the hunks, and the number of lines that are not shown.
pub(super) fn hunks(compared: &Compared<'_>, path: &str, limit: LineLimit) -> (Vec<Hunk>, usize) {
    let all: usize = compared.hunks.iter().map(|hunk| hunk.lines.len()).sum();
    let mut left = limit.lines;
    let mut hunks = Vec::new();
    for hunk in &compared.hunks {
        if left == 0 {
            break;
        }
        let is_marked = limit.lines - left < HIGHLIGHTED;
        let language = if is_marked { syntax::language_of_path(path) } else { "" };
        let shown = self::hunk(hunk, language, left, limit.bytes);
        left -= shown.lines.len();
        hunks.push(shown);
    }
    let shown: usize = hunks.iter().map(|hunk| hunk.lines.len()).sum();
    (hunks, all - shown)
}

fn hunk(hunk: &RawHunk<'_>, language: &str, most: usize, bytes: usize) -> Hunk {
    let lines = hunk.lines.get(..most.min(hunk.lines.len())).unwrap_or_default();
    let marks = marks(lines);
    let mut old = syntax::highlighter(language);
    let mut new = syntax::highlighter(language);
    let lines = lines.iter().zip(marks).map(|(raw, marks)| {
        let text = cut(raw.text, bytes);
        let text = visible(text);
        let mut line = match raw.change {
            LineChange::Removed => old.line(&text),
            LineChange::Added => new.line(&text),
            LineChange::Same => {
                old.line(&text);
                new.line(&text)
            }
        };
        if raw.text.len() > bytes {
            line.spans.push(Span::new("…", Role::Muted));
        } else if !marks.is_empty() {
            line = marked(line, &in_visible(raw.text, &marks));
        }
        if raw.is_unfinished {
            line.spans.push(Span::new(" (no line feed at the end)", Role::Muted));
        }
        HunkLine { change: raw.change, line }
    });
    Hunk { old_start: hunk.old_start, new_start: hunk.new_start, lines: lines.collect() }
}

fn cut(text: &str, bytes: usize) -> &str {
    let end = bytes.min(text.len());
    let end = (end..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    text.get(..end).unwrap_or(text)
}

/// Returns the places that differ in each line. Removed lines are compared with the added lines
/// after them, in order.
fn marks(lines: &[RawLine<'_>]) -> Vec<words::Ranges> {
    let mut marks = vec![Vec::new(); lines.len()];
    let mut at = 0;
    while at < lines.len() {
        let run = |from: usize, change: LineChange| {
            let rest = lines.get(from..).unwrap_or_default();
            rest.iter().take_while(|line| line.change == change).count()
        };
        let removed = run(at, LineChange::Removed);
        let added = run(at + removed, LineChange::Added);
        for index in 0..removed.min(added) {
            let (old, new) = (at + index, at + removed + index);
            let (Some(one), Some(other)) = (lines.get(old), lines.get(new)) else { continue };
            if let Some((in_old, in_new)) = words::differences(one.text, other.text) {
                for (index, ranges) in [(old, in_old), (new, in_new)] {
                    if let Some(mark) = marks.get_mut(index) {
                        *mark = ranges;
                    }
                }
            }
        }
        at += (removed + added).max(1);
    }
    marks
}

/// Converts places of a text to places of its visible form.
fn in_visible(text: &str, ranges: &[Range<usize>]) -> words::Ranges {
    let at = |at: usize| visible(text.get(..at).unwrap_or_default()).len();
    ranges.iter().map(|range| at(range.start)..at(range.end)).collect()
}

/// Marks these places of a line as changed. The places are in order.
fn marked(line: Line, ranges: &[Range<usize>]) -> Line {
    let mut spans = Vec::new();
    let mut start = 0;
    for span in line.spans {
        let mut at = 0;
        let length = span.text.len();
        let mut push = |from: usize, to: usize, changed: bool| {
            if let Some(text) = span.text.get(from..to).filter(|text| !text.is_empty()) {
                let mut style = span.style.clone();
                style.changed |= changed;
                spans.push(Span { text: text.to_owned(), style });
            }
        };
        for range in ranges {
            let from = range.start.saturating_sub(start).clamp(at, length);
            let to = range.end.saturating_sub(start).clamp(from, length);
            push(at, from, false);
            push(from, to, true);
            at = to;
        }
        push(at, length, false);
        start += length;
    }
    Line { spans }
}
