//! The rows of a conversation, laid out where they are needed.

use super::row_slot::{RowSlot, SegmentSlot};
use crate::layout::DrawnLine;
use crate::theme::Theme;
use attache_view::Row;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// The rows above and below the visible ones that stay laid out.
const NEAR: usize = 100;

/// The height of a row that was never laid out, while no row was.
const USUAL_HEIGHT: usize = 4;

/// With more rows, the place in the conversation is estimated by the number of rows, so that a
/// frame does not visit all of them.
const COUNTED: usize = 20_000;

/// A line of a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Position {
    pub(super) row: usize,
    pub(super) segment: usize,
    pub(super) line: usize,
}

impl Position {
    pub(super) fn row(row: usize) -> Self {
        Self { row, ..Self::default() }
    }
}

/// The rows of a conversation, laid out where they are needed.
#[derive(Debug)]
pub(super) struct RowList {
    pub(super) slots: Vec<RowSlot>,
    theme: Theme,
    columns: usize,
    /// Whether reasoning is folded at first.
    pub(super) folds_thoughts: bool,
    now: Option<i64>,
    /// The rows that have segments.
    built: BTreeSet<usize>,
    /// The number of known heights, and their sum.
    known: (usize, usize),
}

impl RowList {
    pub(super) fn new(theme: Theme) -> Self {
        let (slots, built) = (Vec::new(), BTreeSet::new());
        Self { slots, theme, columns: 80, folds_thoughts: true, now: None, built, known: (0, 0) }
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn theme(&self) -> &Theme {
        &self.theme
    }

    /// Takes the rows of the ranges from `rows`, and the number of rows.
    pub(super) fn update(&mut self, rows: &[Arc<Row>], changed: &[Range<usize>]) {
        for index in rows.len()..self.slots.len() {
            self.forget_height(index);
        }
        self.slots.truncate(rows.len());
        self.built.split_off(&rows.len());
        let held = self.slots.len();
        for index in changed.iter().flat_map(|range| range.clone().take_while(|i| *i < held)) {
            let Some(row) = rows.get(index) else { continue };
            let Some(slot) = self.slots.get_mut(index) else { continue };
            if Arc::ptr_eq(&slot.row, row) {
                continue;
            }
            if slot.row.id != row.id || slot.row.depth != row.depth {
                slot.folded = None;
            }
            slot.row = Arc::clone(row);
            self.rebuild(index);
        }
        for row in rows.iter().skip(held) {
            self.slots.push(RowSlot::new(Arc::clone(row), self.folds_thoughts));
        }
    }

    /// Whether the lines are laid out for this.
    pub(super) fn has_format(&self, theme: &Theme, columns: usize) -> bool {
        self.columns == columns && self.theme == *theme
    }

    /// Sets what the lines depend on, and forgets them.
    pub(super) fn set_format(&mut self, theme: &Theme, columns: usize) {
        (self.columns, self.theme) = (columns, theme.clone());
        for index in std::mem::take(&mut self.built) {
            if let Some(slot) = self.slots.get_mut(index) {
                slot.segments = None;
            }
        }
        self.slots.iter_mut().for_each(|slot| slot.height = None);
        self.known = (0, 0);
    }

    /// Sets the time, for the durations of what runs.
    pub(super) fn set_now(&mut self, now: Option<i64>) {
        self.now = now;
        let running = |index: &usize| self.slots.get(*index).is_some_and(RowSlot::is_running);
        let running: Vec<usize> = self.built.iter().copied().filter(running).collect();
        running.into_iter().for_each(|index| self.rebuild(index));
    }

    /// Rebuilds the segments of a row that has some.
    pub(super) fn rebuild(&mut self, index: usize) {
        self.forget_height(index);
        if let Some(slot) = self.slots.get_mut(index).filter(|slot| slot.segments.is_some()) {
            slot.build(&self.theme, self.now);
        }
    }

    fn forget_height(&mut self, index: usize) {
        if let Some(height) = self.slots.get_mut(index).and_then(|slot| slot.height.take()) {
            self.known = (self.known.0 - 1, self.known.1 - height);
        }
    }

    /// Returns the segments of a row.
    pub(super) fn segments(&mut self, row: usize) -> &mut [SegmentSlot] {
        let Some(slot) = self.slots.get_mut(row) else { return &mut [] };
        if slot.segments.is_none() {
            slot.build(&self.theme, self.now);
            self.built.insert(row);
        }
        slot.segments.as_deref_mut().unwrap_or_default()
    }

    /// Returns the lines of a segment.
    pub(super) fn lines(&mut self, row: usize, segment: usize) -> &[DrawnLine] {
        self.slot(row, segment).map_or(&[], |(slot, theme, columns)| slot.lines(theme, columns))
    }

    /// Returns a segment, and what its layout depends on.
    pub(super) fn slot(
        &mut self,
        row: usize,
        segment: usize,
    ) -> Option<(&mut SegmentSlot, &Theme, usize)> {
        self.segments(row);
        let slot = self.slots.get_mut(row)?.segments.as_mut()?.get_mut(segment)?;
        Some((slot, &self.theme, self.columns))
    }

    /// Returns the first row at or after this index that shows something.
    pub(super) fn shown_from(&self, row: usize) -> Option<usize> {
        let rows = self.slots.iter().enumerate().skip(row);
        rows.filter(|(_, slot)| !slot.is_empty()).map(|(index, _)| index).next()
    }

    /// Returns the last row before this index that shows something.
    fn shown_before(&self, row: usize) -> Option<usize> {
        let rows = self.slots.get(..row.min(self.len())).unwrap_or_default();
        rows.iter().rposition(|slot| !slot.is_empty())
    }

    /// Returns the first line.
    pub(super) fn first_line(&self) -> Position {
        Position::row(self.shown_from(0).unwrap_or(0))
    }

    /// Returns the nearest position that exists.
    pub(super) fn clamp(&mut self, position: Position) -> Position {
        let shown = self.shown_from(position.row).or_else(|| self.shown_before(position.row));
        match shown {
            None => return Position::default(),
            Some(row) if row < position.row => return self.last_line(),
            Some(row) if row > position.row => return Position::row(row),
            Some(_) => {}
        }
        let segments = self.segments(position.row).len();
        if position.segment >= segments {
            let segment = segments.saturating_sub(1);
            let line = self.lines(position.row, segment).len().saturating_sub(1);
            return Position { row: position.row, segment, line };
        }
        let lines = self.lines(position.row, position.segment).len();
        Position { line: position.line.min(lines.saturating_sub(1)), ..position }
    }

    /// Returns the last line.
    pub(super) fn last_line(&mut self) -> Position {
        let Some(row) = self.shown_before(self.len()) else { return Position::default() };
        let segment = self.segments(row).len().saturating_sub(1);
        let line = self.lines(row, segment).len().saturating_sub(1);
        Position { row, segment, line }
    }

    /// Returns the position `count` lines further up, or the first one.
    pub(super) fn up(&mut self, mut position: Position, count: usize) -> Position {
        let mut left = count;
        loop {
            if position.line >= left {
                position.line -= left;
                return position;
            }
            left -= position.line;
            let Some((row, segment)) = self.segment_before(position) else {
                return self.first_line();
            };
            // The line above the first line of a segment is the last line of the one before it.
            let lines = self.lines(row, segment).len();
            position = Position { row, segment, line: lines };
        }
    }

    /// Returns the position `count` lines further down, or the last one.
    pub(super) fn down(&mut self, mut position: Position, count: usize) -> Position {
        let mut left = count;
        loop {
            let lines = self.lines(position.row, position.segment).len();
            if position.line + left < lines {
                position.line += left;
                return position;
            }
            left -= lines.saturating_sub(position.line).min(left);
            let Some((row, segment)) = self.segment_after(position) else {
                return self.last_line();
            };
            position = Position { row, segment, line: 0 };
        }
    }

    /// Returns the segment before the one of a position.
    pub(super) fn segment_before(&mut self, position: Position) -> Option<(usize, usize)> {
        if let Some(segment) = position.segment.checked_sub(1) {
            return Some((position.row, segment));
        }
        let row = self.shown_before(position.row)?;
        Some((row, self.segments(row).len().saturating_sub(1)))
    }

    /// Returns the segment behind the one of a position.
    pub(super) fn segment_after(&mut self, position: Position) -> Option<(usize, usize)> {
        if position.segment + 1 < self.segments(position.row).len() {
            return Some((position.row, position.segment + 1));
        }
        self.shown_from(position.row + 1).map(|row| (row, 0))
    }

    /// Forgets the layout of rows that are far from the visible ones.
    pub(super) fn forget_far(&mut self, visible: Range<usize>) {
        let near = visible.start.saturating_sub(NEAR)..visible.end.saturating_add(NEAR);
        let last = self.len().saturating_sub(1);
        // The last row often grows, and most jumps end there.
        let far = |index: &usize| !near.contains(index) && *index != last;
        let far: Vec<usize> = self.built.iter().copied().filter(far).collect();
        for index in far {
            self.built.remove(&index);
            if let Some(slot) = self.slots.get_mut(index) {
                slot.segments = None;
            }
        }
    }

    /// Notes the heights of rows that are laid out as a whole.
    pub(super) fn note_heights(&mut self, visible: Range<usize>) {
        let visible = self.slots.get_mut(visible).unwrap_or_default();
        for slot in visible.iter_mut().filter(|slot| !slot.is_empty()) {
            let Some(segments) = slot.segments.as_ref().filter(|_| slot.height.is_none()) else {
                continue;
            };
            let lines = |slot: &SegmentSlot| slot.lines.as_ref().map(Vec::len);
            slot.height = segments.iter().map(lines).sum();
            if let Some(height) = slot.height {
                self.known = (self.known.0 + 1, self.known.1 + height);
            }
        }
    }

    /// Returns the estimated number of lines above a position, and of all lines.
    pub(super) fn estimate(&self, position: Position) -> (usize, usize) {
        let usual = self.known.1.checked_div(self.known.0).unwrap_or(USUAL_HEIGHT);
        if self.len() > COUNTED {
            return (position.row * usual, self.len() * usual);
        }
        let lines = |slot: &SegmentSlot| slot.lines.as_ref().map_or(1, Vec::len);
        let height = |slot: &RowSlot| match (slot.height, &slot.segments) {
            // Earlier messages that are not read have about the usual height.
            _ if slot.is_empty() => usual,
            (Some(height), _) => height,
            (None, Some(segments)) => segments.iter().map(lines).sum(),
            (None, None) => usual,
        };
        let before: usize = self.slots.iter().take(position.row).map(height).sum();
        let after: usize = self.slots.iter().skip(position.row).map(height).sum();
        let segments = self.slots.get(position.row).and_then(|slot| slot.segments.as_ref());
        let inside: usize = segments.into_iter().flatten().take(position.segment).map(lines).sum();
        (before + inside + position.line, before + after)
    }
}
