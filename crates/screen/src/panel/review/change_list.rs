//! The scrolled lines of a review. Only the visible segments are laid out.

use crate::layout::{DrawnLine, ReviewSegment};
use crate::theme::Theme;

/// The number of segments whose lines are kept.
const KEPT: usize = 256;

/// A line: the index of its segment, and its index in the segment.
pub(super) type Position = (usize, usize);

/// The scrolled lines of a review.
#[derive(Debug, Default)]
pub(super) struct ChangeList {
    segments: Vec<ReviewSegment>,
    /// The lines of each segment; `None` until they are needed.
    lines: Vec<Option<Vec<DrawnLine>>>,
    /// The number of segments that have lines.
    laid_out: usize,
    theme: Option<Theme>,
    columns: usize,
    /// The first visible line.
    top: Position,
    height: usize,
}

impl ChangeList {
    /// Takes other segments. The first visible segment of the same file and change stays the first.
    pub(super) fn set_segments(&mut self, segments: Vec<ReviewSegment>) {
        let place = self.segments.get(self.top.0).map(|segment| (segment.file, segment.hunk));
        let same = segments.iter().position(|it| Some((it.file, it.hunk)) == place);
        let file = place.map(|(file, _)| file);
        let same = same.or_else(|| segments.iter().position(|it| Some(it.file) == file));
        self.top = (same.unwrap_or(0), 0);
        self.segments = segments;
        self.forget();
    }

    /// Sets what the visible lines depend on. Returns whether it changed.
    pub(super) fn set_format(&mut self, theme: &Theme, columns: usize, height: usize) -> bool {
        if self.columns != columns || self.theme.as_ref() != Some(theme) {
            self.columns = columns;
            self.theme = Some(theme.clone());
            self.top.1 = 0;
            self.forget();
            self.height = 0;
        }
        std::mem::replace(&mut self.height, height) != height
    }

    fn forget(&mut self) {
        self.lines = self.segments.iter().map(|_| None).collect();
        self.laid_out = 0;
    }

    /// Returns the number of lines of a page.
    pub(super) fn page(&self) -> isize {
        isize::try_from(self.height.saturating_sub(1).max(1)).unwrap_or(isize::MAX)
    }

    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    pub(super) fn segments(&self) -> &[ReviewSegment] {
        &self.segments
    }

    /// Returns the lines of a segment.
    fn lines(&mut self, segment: usize) -> &[DrawnLine] {
        let (Some(theme), Some(source)) = (&self.theme, self.segments.get(segment)) else {
            return &[];
        };
        let Some(lines) = self.lines.get_mut(segment) else { return &[] };
        if lines.is_none() {
            self.laid_out += 1;
        }
        lines.get_or_insert_with(|| source.segment.layout(theme, self.columns))
    }

    /// Returns the line that is `count` lines below, or the last one.
    fn down(&mut self, from: Position, mut count: usize) -> Position {
        let (mut segment, mut line) = from;
        loop {
            let left = self.lines(segment).len().saturating_sub(line + 1);
            if count <= left {
                return (segment, line + count);
            }
            let next = (segment + 1..self.segments.len()).find(|it| !self.lines(*it).is_empty());
            let Some(next) = next else { return (segment, line + left) };
            count -= left + 1;
            (segment, line) = (next, 0);
        }
    }

    /// Returns the line that is `count` lines above, or the first one.
    fn up(&mut self, from: Position, mut count: usize) -> Position {
        let (mut segment, mut line) = from;
        loop {
            if count <= line {
                return (segment, line - count);
            }
            let before = (0..segment).rev().find(|it| !self.lines(*it).is_empty());
            let Some(before) = before else { return (segment, 0) };
            count -= line + 1;
            (segment, line) = (before, self.lines(before).len() - 1);
        }
    }

    /// Scrolls by this many lines; the last page stays full.
    pub(super) fn scroll(&mut self, lines: isize) {
        let count = lines.unsigned_abs();
        self.top = if lines < 0 { self.up(self.top, count) } else { self.down(self.top, count) };
        self.settle();
    }

    /// Shows the beginning.
    pub(super) fn start(&mut self) {
        self.top = (0, 0);
    }

    /// Shows the end.
    pub(super) fn end(&mut self) {
        let last = self.segments.len().saturating_sub(1);
        self.top = (last, self.lines(last).len().saturating_sub(1));
        self.settle();
    }

    fn settle(&mut self) {
        let last = self.segments.len().saturating_sub(1);
        let last = (last, self.lines(last).len().saturating_sub(1));
        let end = self.up(last, self.height.saturating_sub(1));
        self.top = self.top.min(end);
    }

    /// Makes these segments visible, at least the first of them. They stay where they are if all of
    /// them are visible.
    pub(super) fn reveal(&mut self, first: usize, last: usize) {
        let bottom = self.down(self.top, self.height.saturating_sub(1));
        let end = (last, self.lines(last).len().saturating_sub(1));
        if (first, 0) < self.top || end > bottom {
            self.top = (first, 0);
            self.settle();
        }
    }

    /// Returns the visible lines with the indices of their segments.
    pub(super) fn visible(&mut self) -> Vec<(usize, DrawnLine)> {
        if self.laid_out > KEPT {
            self.forget();
        }
        self.settle();
        let (mut segment, mut skipped) = self.top;
        let mut shown = Vec::with_capacity(self.height);
        while shown.len() < self.height && segment < self.segments.len() {
            let room = self.height - shown.len();
            let lines = self.lines(segment).iter().skip(skipped).take(room);
            shown.extend(lines.map(|line| (segment, line.clone())));
            (segment, skipped) = (segment + 1, 0);
        }
        shown
    }
}
