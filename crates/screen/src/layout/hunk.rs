//! The layout of changed places, one below the other or side by side.

use super::canvas::{Canvas, Margin};
use super::styled_text::{StyledText, width};
use super::wrap::{Part, wrap};
use crate::theme::Element;
use attache_view::{FileDiff, HunkLine, Line as ViewLine, LineChange, Role, Style as ViewStyle};
use ratatui::style::{Modifier, Style};
use ratatui::text::Span;
use std::ops::Range;
use std::sync::Arc;

/// The fewest columns for both versions side by side.
const SIDE_BY_SIDE: usize = 140;

/// The fewest columns for the line numbers of both versions.
const TWO_NUMBERS: usize = 60;

/// Whether the versions of a changed place are side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HunkColumns {
    /// Side by side if the width allows it.
    ByWidth,
    /// One below the other.
    One,
    /// Side by side.
    Two,
}

impl HunkColumns {
    /// Whether the versions are side by side in this many columns.
    pub(crate) fn are_two(self, columns: usize) -> bool {
        match self {
            Self::ByWidth => columns >= SIDE_BY_SIDE,
            Self::One => false,
            Self::Two => true,
        }
    }
}

/// Some lines of a changed place.
#[derive(Debug, Clone)]
pub(crate) struct HunkPart {
    pub(crate) file: Arc<FileDiff>,
    /// The index of the hunk in the file.
    pub(crate) hunk: usize,
    /// The lines of the hunk.
    pub(crate) lines: Range<usize>,
    /// The number of the first line in the old file and in the new file.
    pub(crate) start: (usize, usize),
    /// The columns of the largest line number of the file.
    pub(crate) digits: usize,
    pub(crate) columns: HunkColumns,
}

impl PartialEq for HunkPart {
    fn eq(&self, other: &Self) -> bool {
        let place =
            |part: &Self| (part.hunk, part.lines.clone(), part.start, part.digits, part.columns);
        place(self) == place(other)
            && (Arc::ptr_eq(&self.file, &other.file) || self.lines() == other.lines())
    }
}

impl HunkPart {
    pub(super) fn lines(&self) -> &[HunkLine] {
        let hunk = self.file.hunks.get(self.hunk);
        hunk.and_then(|hunk| hunk.lines.get(self.lines.clone())).unwrap_or_default()
    }
}

/// Returns how many columns the line numbers of a file need.
pub(crate) fn digits(file: &FileDiff) -> usize {
    let ends = file.hunks.iter().map(|hunk| hunk.old_start.max(hunk.new_start) + hunk.lines.len());
    ends.max().unwrap_or(0).to_string().len()
}

/// Writes some lines of a changed place.
pub(super) fn write_hunk(canvas: &mut Canvas<'_>, part: &HunkPart, margin: &mut Margin) {
    let numbered = numbered(part);
    if part.columns.are_two(canvas.columns) {
        write_side_by_side(canvas, &numbered, part.digits, margin);
    } else {
        let two = canvas.room(margin) >= TWO_NUMBERS;
        for line in &numbered {
            write_unified(canvas, line, part.digits, two, margin);
        }
    }
}

/// A line with its number in both versions.
struct NumberedLine<'a> {
    line: &'a HunkLine,
    old: usize,
    new: usize,
}

fn numbered(part: &HunkPart) -> Vec<NumberedLine<'_>> {
    let (mut old, mut new) = part.start;
    let number = |line| {
        let numbered = NumberedLine { line, old, new };
        old += usize::from(line.change != LineChange::Added);
        new += usize::from(line.change != LineChange::Removed);
        numbered
    };
    part.lines().iter().map(number).collect()
}

/// How lines with a change are drawn.
struct ChangeStyle {
    sign: &'static str,
    mark: Style,
    /// The style of the whole line.
    line: Style,
    words: Style,
}

fn change_style(canvas: &Canvas<'_>, change: LineChange) -> ChangeStyle {
    let (sign, role, line, words) = match change {
        LineChange::Same => {
            let plain = Style::new();
            return ChangeStyle { sign: " ", mark: plain, line: canvas.base, words: plain };
        }
        LineChange::Added => ("+", Role::Added, Element::AddedLine, Element::AddedWords),
        LineChange::Removed => ("-", Role::Removed, Element::RemovedLine, Element::RemovedWords),
    };
    let mark = canvas.theme.role(role).add_modifier(Modifier::BOLD);
    let mut line = canvas.theme.element(line);
    if line.bg.is_none() {
        line.fg = line.fg.or(mark.fg);
    }
    ChangeStyle { sign, mark, line, words: canvas.theme.element(words) }
}

fn text(canvas: &Canvas<'_>, line: &ViewLine, change: &ChangeStyle) -> StyledText {
    let style = |style: &ViewStyle| {
        let drawn = change.line.patch(canvas.theme.style(style));
        if style.changed { drawn.patch(change.words) } else { drawn }
    };
    StyledText::with(line, style)
}

fn write_unified(
    canvas: &mut Canvas<'_>,
    line: &NumberedLine<'_>,
    digits: usize,
    two: bool,
    margin: &mut Margin,
) {
    let change = line.line.change;
    let old = if change == LineChange::Added { String::new() } else { line.old.to_string() };
    let new = if change == LineChange::Removed { String::new() } else { line.new.to_string() };
    let numbers = if two {
        format!("{old:>digits$} {new:>digits$} ")
    } else {
        let one = if new.is_empty() { old } else { new };
        format!("{one:>digits$} ")
    };
    let style = change_style(canvas, change);
    let spaces = Span::raw(" ".repeat(numbers.len()));
    let numbers = Span::styled(numbers, canvas.gutter());
    let mut numbered = margin.inside(numbers, spaces, canvas.columns);
    let sign = Span::styled(format!("{} ", style.sign), style.mark);
    let continued = Span::styled("  ", style.mark);
    let mut signed = numbered.inside(sign, continued, canvas.columns);
    let first = canvas.lines.len();
    let text = text(canvas, &line.line.line, &style);
    canvas.code(&text, &mut signed);
    for drawn in canvas.lines.iter_mut().skip(first) {
        drawn.line.style = Style { fg: None, ..style.line };
    }
}

/// Writes removed lines at the left, and the added lines that replace them at the right.
fn write_side_by_side(
    canvas: &mut Canvas<'_>,
    lines: &[NumberedLine<'_>],
    digits: usize,
    margin: &mut Margin,
) {
    let mut rest = lines;
    while let Some((first, after)) = rest.split_first() {
        if first.line.change == LineChange::Same {
            write_pair(canvas, Some(first), Some(first), digits, margin);
            rest = after;
            continue;
        }
        let is = |change| move |line: &&NumberedLine<'_>| line.line.change == change;
        let removed = rest.iter().take_while(is(LineChange::Removed)).count();
        let (old, behind) = rest.split_at(removed);
        let added = behind.iter().take_while(is(LineChange::Added)).count();
        let (new, behind) = behind.split_at(added);
        for index in 0..removed.max(added) {
            write_pair(canvas, old.get(index), new.get(index), digits, margin);
        }
        rest = behind;
    }
}

fn write_pair(
    canvas: &mut Canvas<'_>,
    old: Option<&NumberedLine<'_>>,
    new: Option<&NumberedLine<'_>>,
    digits: usize,
    margin: &mut Margin,
) {
    let half = canvas.room(margin).saturating_sub(3) / 2;
    let left = side(canvas, old.map(|line| (line.old, line.line)), digits, half);
    let right = side(canvas, new.map(|line| (line.new, line.line)), digits, half);
    let bar = format!(" {} ", canvas.theme.glyphs().vertical);
    let empty = || vec![Span::raw(" ".repeat(half))];
    for index in 0..left.len().max(right.len()) {
        let mut spans = left.get(index).cloned().unwrap_or_else(empty);
        spans.push(Span::styled(bar.clone(), canvas.gutter()));
        spans.extend(right.get(index).cloned().unwrap_or_default());
        canvas.line(spans, margin);
    }
}

/// Returns the drawn lines of one side, each as wide as the side.
fn side(
    canvas: &Canvas<'_>,
    line: Option<(usize, &HunkLine)>,
    digits: usize,
    columns: usize,
) -> Vec<Vec<Span<'static>>> {
    let Some((number, line)) = line else { return Vec::new() };
    let style = change_style(canvas, line.change);
    let text = text(canvas, &line.line, &style);
    let room = columns.saturating_sub(digits + 3);
    let parts: Vec<Part> = wrap(text.text(), room);
    let mut lines = Vec::new();
    for part in parts {
        let (number, sign) = match part.joined {
            None => (number.to_string(), style.sign),
            Some(_) => (String::new(), " "),
        };
        let mut spans = vec![
            Span::styled(format!("{number:>digits$} "), canvas.gutter().patch(style.line)),
            Span::styled(format!("{sign} "), style.line.patch(style.mark)),
        ];
        canvas.slice(&text, &part, room, &mut spans);
        let used: usize = spans.iter().map(|span| width(&span.content)).sum();
        spans.push(Span::styled(" ".repeat(columns.saturating_sub(used)), style.line));
        lines.push(spans);
    }
    lines
}
