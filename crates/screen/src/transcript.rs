//! A conversation on the screen: scrolling, folding, selecting, searching.

mod drawing;
mod plain_text;
mod row_list;
mod row_slot;
mod scrolling;
mod search;
mod search_commands;
mod selection;

pub use self::scrolling::{Jump, Scroll};
pub use self::search::SearchStatus;
pub use self::selection::Click;

use self::drawing::{Frame, Marks};
use self::row_list::{Position, RowList};
use self::search::Search;
use crate::layout::DrawnLine;
use crate::theme::{ColorDepth, Glyphs, Theme};
use attache_view::{Row, RowContent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::ops::Range;
use std::sync::Arc;

/// A conversation on the screen.
///
/// Only rows near the visible ones are laid out. The first visible line is fixed to its row and
/// text, so that changes above do not move it; at the end, the transcript follows what is added.
#[derive(Debug)]
pub struct Transcript {
    rows: RowList,
    /// The first visible line. Without meaning while `follows` is set.
    top: Position,
    /// Whether the end is shown.
    follows: bool,
    /// The text offset in its segment that a resize kept visible in the first line, so that further
    /// resizes do not move away from it.
    kept: Option<(Position, usize)>,
    /// The number of rows when the end was last visible.
    seen: usize,
    /// Whether the last row that was seen grew since.
    grew: bool,
    selected: Option<usize>,
    search: Option<Search>,
    generation: u64,
    frame: Frame,
}

impl Default for Transcript {
    fn default() -> Self {
        let rows = RowList::new(Theme::dark(ColorDepth::Ansi16, Glyphs::ASCII));
        Self {
            rows,
            top: Position::default(),
            follows: true,
            kept: None,
            seen: 0,
            grew: false,
            selected: None,
            search: None,
            generation: 0,
            frame: Frame::default(),
        }
    }
}

impl Transcript {
    /// Returns an empty transcript that follows the end.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a transcript that shows the start of one row, unfolded.
    pub(crate) fn of_row(row: &Arc<Row>) -> Self {
        let mut transcript = Self::new();
        transcript.update(std::slice::from_ref(row), &[]);
        transcript.unfold(0);
        (transcript.top, transcript.follows) = (Position::default(), false);
        transcript.seen = transcript.rows.len();
        transcript
    }

    /// Takes the rows of a conversation. `changed` has the indices of rows that differ since the
    /// last call; rows that were added or removed at the end need no mention.
    pub fn update(&mut self, rows: &[Arc<Row>], changed: &[Range<usize>]) {
        let held = self.rows.len();
        let kept = self.place_below_note(rows);
        self.rows.update(rows, changed);
        if let Some((row, lines)) = kept {
            self.top = self.rows.up(Position::row(row), lines);
        }
        if !self.follows {
            self.grew |= changed.iter().any(|range| range.contains(&self.seen.saturating_sub(1)));
        }
        self.seen = self.seen.min(rows.len());
        self.selected = self.selected.filter(|row| *row < rows.len());
        self.top = self.rows.clamp(self.top);
        if let Some(search) = &mut self.search {
            search.truncate(rows.len());
            let added = held.min(rows.len())..rows.len();
            for range in changed.iter().chain(std::iter::once(&added)) {
                search.refresh(&self.rows, &(range.start..range.end.min(rows.len())));
            }
        }
    }

    /// Returns the first row below the note about unread messages, and the lines above it, if the
    /// note is the first visible row and a message replaces it. Its text stays where it is.
    fn place_below_note(&mut self, rows: &[Arc<Row>]) -> Option<(usize, usize)> {
        let at = self.top;
        let slot = self.rows.slots.get(at.row).filter(|_| !self.follows)?;
        let is_note = matches!(slot.row.content, RowContent::Other { .. });
        if !is_note || rows.get(at.row).is_some_and(|row| row.content == slot.row.content) {
            return None;
        }
        let next = self.rows.shown_from(at.row + 1)?;
        let (mut position, mut lines) = (at, 0);
        while position.row == at.row {
            lines += self.rows.lines(position.row, position.segment).len() - position.line;
            let (row, segment) = self.rows.segment_after(position)?;
            position = Position { row, segment, line: 0 };
        }
        Some((next, lines))
    }

    /// The rows that are visible.
    pub(crate) fn visible(&self) -> Range<usize> {
        self.frame.rows()
    }

    /// Takes all rows, as after another session was chosen. Forgets selection, folds and search.
    pub fn replace(&mut self, rows: &[Arc<Row>]) {
        let theme = self.rows.theme().clone();
        let folds_thoughts = self.rows.folds_thoughts;
        *self = Self { rows: RowList::new(theme), ..Self::default() };
        self.rows.folds_thoughts = folds_thoughts;
        self.update(rows, &[]);
    }

    /// Sets the time in milliseconds since 1970, for the durations of tool calls that run.
    pub fn set_now(&mut self, now: i64) {
        self.rows.set_now(Some(now));
    }

    /// Whether a visible row shows a duration that grows, so that it should be drawn each second.
    pub fn is_running(&self) -> bool {
        let visible = self.rows.slots.get(self.frame.rows()).unwrap_or_default();
        visible.iter().any(row_slot::RowSlot::is_running)
    }

    /// Draws the transcript. The last column shows the place in the conversation.
    pub fn render(&mut self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        let columns = usize::from(area.width.saturating_sub(drawing::SIDES));
        self.set_format(theme, columns);
        self.frame.height = usize::from(area.height);
        self.settle();
        let top = if self.follows { self.end() } else { self.top };
        let marks = Marks {
            selected: self.selected,
            search: self.search.as_ref(),
            hint: self.hint(theme),
            at_end: self.follows,
        };
        self.frame = drawing::draw(&mut self.rows, top, &marks, area, buffer, theme);
        let visible = self.frame.rows();
        self.rows.forget_far(visible);
        self.top = top;
    }

    /// Whether the end is shown, so that what is added becomes visible.
    pub fn follows(&self) -> bool {
        self.follows
    }

    /// Returns the number of rows that were added below the visible part.
    pub fn unseen(&self) -> usize {
        if self.follows { 0 } else { self.rows.len() - self.seen }
    }

    /// Returns the row of this index.
    pub fn row(&self, index: usize) -> Option<&Arc<Row>> {
        self.rows.slots.get(index).map(|slot| &slot.row)
    }

    fn unfold(&mut self, row: usize) {
        if let Some(slot) = self.rows.slots.get_mut(row).filter(|slot| slot.is_folded()) {
            slot.folded = Some(false);
            self.rows.rebuild(row);
        }
    }

    /// Returns the text at the bottom, if something was added below.
    fn hint(&self, theme: &Theme) -> Option<String> {
        let down = theme.glyphs().down;
        match self.unseen() {
            0 if self.grew && !self.follows => Some(format!(" new text {down} ")),
            0 => None,
            1 => Some(format!(" 1 new row {down} ")),
            count => Some(format!(" {count} new rows {down} ")),
        }
    }

    /// Returns the first visible line.
    fn top(&mut self) -> Position {
        if self.follows { self.end() } else { self.top }
    }

    /// Returns the first visible line if the end is shown.
    fn end(&mut self) -> Position {
        let last = self.rows.last_line();
        // The empty line behind the last row is not shown.
        self.rows.up(last, self.frame.height)
    }

    /// Follows the end if it is visible.
    fn settle(&mut self) {
        self.top = self.rows.clamp(self.top);
        let end = self.end();
        if self.follows || self.top >= end {
            self.follows = true;
            self.seen = self.rows.len();
            self.grew = false;
        }
    }

    /// Sets what the lines depend on; the text of the first visible line stays the first.
    fn set_format(&mut self, theme: &Theme, columns: usize) {
        if self.rows.has_format(theme, columns) {
            return;
        }
        let top = self.top;
        let lines = self.rows.lines(top.row, top.segment);
        let length = |line: &DrawnLine| line.text().len() + line.joined.unwrap_or(0);
        let before: usize = lines.iter().take(top.line).map(length).sum();
        let before = self.kept.filter(|(at, _)| *at == top).map_or(before, |(_, offset)| offset);
        self.rows.set_format(theme, columns);
        if before == 0 {
            return;
        }
        let mut left = before;
        let lines = self.rows.lines(top.row, top.segment);
        let line = lines.iter().position(|line| {
            let passed = length(line) > left;
            left = left.saturating_sub(length(line));
            passed
        });
        self.top = Position { line: line.unwrap_or(lines.len().saturating_sub(1)), ..top };
        self.kept = Some((self.top, before));
    }
}
