//! A conversation on the screen: scrolling, folding, selecting, searching.

mod drawing;
mod pager;
mod plain_text;
mod row_list;
mod row_slot;
mod search;

pub use self::pager::Pager;
pub use self::search::SearchStatus;

use self::drawing::{Frame, Marks};
use self::row_list::{Position, RowList};
use self::search::Search;
use crate::layout::SegmentKind;
use crate::theme::{ColorDepth, Glyphs, Theme};
use attache_view::{Row, RowContent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::ops::Range;
use std::sync::Arc;

/// How to scroll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scroll {
    /// Some lines down, or up if negative.
    Lines(isize),
    /// Half a page up.
    HalfPageUp,
    /// Half a page down.
    HalfPageDown,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// To the first line.
    Start,
    /// To the last line; the transcript then follows what is added.
    End,
}

/// Where to jump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Jump {
    /// To the previous prompt or answer.
    PreviousMessage,
    /// To the next prompt or answer.
    NextMessage,
    /// To the previous prompt.
    PreviousPrompt,
    /// To the next prompt.
    NextPrompt,
    /// To the previous tool call.
    PreviousToolCall,
    /// To the next tool call.
    NextToolCall,
    /// To the previous row.
    PreviousRow,
    /// To the next row.
    NextRow,
}

/// What a click hit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Click {
    /// Nothing that reacts.
    Nothing,
    /// A row: it is now selected.
    Row(usize),
    /// The header of a row, or the line for its hidden part: the row is now folded or unfolded.
    Folded(usize),
    /// A link. The row is now selected.
    Link(Arc<str>),
    /// The hint at the bottom: the end is now shown.
    End,
}

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

    /// Takes the rows of a conversation. `changed` has the indices of rows that differ since the
    /// last call; rows that were added or removed at the end need no mention.
    pub fn update(&mut self, rows: &[Arc<Row>], changed: &[Range<usize>]) {
        let held = self.rows.len();
        self.rows.update(rows, changed);
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

    /// Takes all rows, as after another session was chosen. Forgets selection, folds and search.
    pub fn replace(&mut self, rows: &[Arc<Row>]) {
        let theme = self.rows.theme().clone();
        *self = Self { rows: RowList::new(theme), ..Self::default() };
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

    /// Scrolls.
    pub fn scroll(&mut self, scroll: Scroll) {
        let page = self.frame.height.saturating_sub(1).max(1);
        let half = (self.frame.height / 2).max(1);
        let top = self.top();
        self.top = match scroll {
            Scroll::Lines(count) if count < 0 => self.rows.up(top, count.unsigned_abs()),
            Scroll::Lines(count) => self.rows.down(top, count.unsigned_abs()),
            Scroll::HalfPageUp => self.rows.up(top, half),
            Scroll::HalfPageDown => self.rows.down(top, half),
            Scroll::PageUp => self.rows.up(top, page),
            Scroll::PageDown => self.rows.down(top, page),
            Scroll::Start => Position::default(),
            Scroll::End => self.rows.last_line(),
        };
        self.follows = false;
        self.settle();
    }

    /// Whether the end is shown, so that what is added becomes visible.
    pub fn follows(&self) -> bool {
        self.follows
    }

    /// Returns the number of rows that were added below the visible part.
    pub fn unseen(&self) -> usize {
        if self.follows { 0 } else { self.rows.len() - self.seen }
    }

    /// Jumps to a row and selects it. Returns whether there is such a row.
    pub fn jump(&mut self, jump: Jump) -> bool {
        let from = self.selected.filter(|row| self.frame.rows().contains(row));
        let backwards =
            matches!(jump, Jump::PreviousMessage | Jump::PreviousPrompt | Jump::PreviousToolCall)
                || jump == Jump::PreviousRow;
        let top = self.top();
        let wanted = |index: &usize| {
            let slot = self.rows.slots.get(*index);
            slot.is_some_and(|slot| matches_jump(&slot.row.content, jump))
        };
        let found = if backwards {
            // The row at the top counts if its beginning is hidden.
            let hidden = top > Position::row(top.row);
            let end = from.unwrap_or(top.row + usize::from(hidden));
            (0..end.min(self.rows.len())).rev().find(wanted)
        } else {
            let start = from.map_or(top.row, |row| row + 1);
            (start..self.rows.len()).find(wanted)
        };
        let Some(row) = found else { return false };
        self.selected = Some(row);
        let stays = matches!(jump, Jump::PreviousRow | Jump::NextRow) && self.shows_start_of(row);
        if !stays {
            self.top = Position::row(row);
            self.follows = false;
            self.settle();
        }
        true
    }

    /// Scrolls to the next changed place of a file, or to the previous one, and selects its row.
    /// Folded rows show only their first changes. Returns whether there is such a place.
    pub fn jump_hunk(&mut self, backwards: bool) -> bool {
        let mut position = Position { line: 0, ..self.top() };
        // With a hidden beginning, the place at the top is a previous one.
        let mut at_start = position == self.top() || !backwards;
        loop {
            if at_start {
                let next = if backwards {
                    self.rows.segment_before(position)
                } else {
                    self.rows.segment_after(position)
                };
                let Some((row, segment)) = next else { return false };
                position = Position { row, segment, line: 0 };
            }
            at_start = true;
            let slot = self.rows.segments(position.row).get(position.segment);
            if slot.is_some_and(|slot| slot.segment.begins_hunk()) {
                break;
            }
        }
        (self.top, self.follows, self.selected) = (position, false, Some(position.row));
        self.settle();
        true
    }

    /// Returns the index of the selected row.
    pub fn selected(&self) -> Option<usize> {
        self.selected
    }

    /// Selects a row, or none.
    pub fn select(&mut self, row: Option<usize>) {
        self.selected = row.filter(|row| *row < self.rows.len());
    }

    /// Returns the row of this index.
    pub fn row(&self, index: usize) -> Option<&Arc<Row>> {
        self.rows.slots.get(index).map(|slot| &slot.row)
    }

    /// Returns the text of the selected row: a message as Markdown.
    pub fn selected_text(&self) -> Option<String> {
        Some(plain_text::row_text(self.row(self.selected?)?))
    }

    /// Returns the code blocks of the selected row.
    pub fn selected_code(&self) -> Vec<String> {
        let row = self.selected.and_then(|index| self.row(index));
        row.map(|row| plain_text::code_blocks(row)).unwrap_or_default()
    }

    /// Returns the command of the selected row, if the row is a tool call that executes one.
    pub fn selected_command(&self) -> Option<String> {
        plain_text::command(self.row(self.selected?)?)
    }

    /// Folds or unfolds the selected row.
    pub fn toggle_fold(&mut self) {
        if let Some(row) = self.selected {
            self.toggle(row);
        }
    }

    /// Unfolds all rows, or folds all rows that are folded at the beginning.
    pub fn fold_all(&mut self, folded: bool) {
        let top = self.top();
        for index in 0..self.rows.len() {
            if let Some(slot) = self.rows.slots.get_mut(index) {
                slot.folded = if folded { None } else { Some(false) };
            }
            self.rows.rebuild(index);
        }
        self.top = self.rows.clamp(top);
        self.settle();
    }

    /// Searches a text, selects no row, and shows the first match at or below the top. Upper and
    /// lower case differ only if the text has upper case. An empty text ends the search.
    pub fn search(&mut self, query: &str) -> SearchStatus {
        if self.search.as_ref().is_some_and(|search| search.query == query) {
            return self.search_status();
        }
        let from = self.top().row;
        self.generation += 1;
        self.search = Search::new(query, &self.rows, self.generation);
        if let Some(search) = &mut self.search {
            search.next(from);
        }
        self.show_match();
        self.search_status()
    }

    /// Shows the next match, or the previous one.
    pub fn search_next(&mut self, backwards: bool) -> SearchStatus {
        let from = self.top().row;
        if let Some(search) = &mut self.search {
            if backwards {
                search.previous(from)
            } else {
                search.next(from)
            };
        }
        self.show_match();
        self.search_status()
    }

    /// Returns the number of matches and which one is current.
    pub fn search_status(&self) -> SearchStatus {
        self.search.as_ref().map_or(SearchStatus { current: 0, total: 0 }, Search::status)
    }

    /// Handles a click at a place of the screen.
    pub fn click(&mut self, column: u16, line: u16) -> Click {
        if self.frame.is_hint(column, line) {
            self.scroll(Scroll::End);
            return Click::End;
        }
        let Some((position, column)) = self.frame.hit(column, line) else { return Click::Nothing };
        if position.row >= self.rows.len() {
            return Click::Nothing;
        }
        self.selected = Some(position.row);
        let lines = self.rows.lines(position.row, position.segment);
        let links = lines.get(position.line).map(|line| line.links.as_slice()).unwrap_or_default();
        if let Some((_, link)) = links.iter().find(|(columns, _)| columns.contains(&column)) {
            return Click::Link(Arc::clone(link));
        }
        let segment = self.rows.segments(position.row).get(position.segment);
        if segment.is_some_and(|slot| slot.segment.kind == SegmentKind::Header) {
            self.toggle(position.row);
            return Click::Folded(position.row);
        }
        Click::Row(position.row)
    }

    /// Whether a search is active.
    pub fn is_searching(&self) -> bool {
        self.search.is_some()
    }

    /// Shows the start, also before the first drawing.
    fn start(&mut self) {
        (self.top, self.follows) = (Position::default(), false);
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

    fn toggle(&mut self, row: usize) {
        let top = self.top();
        let Some(slot) = self.rows.slots.get_mut(row) else { return };
        slot.folded = Some(!slot.is_folded());
        self.rows.rebuild(row);
        self.top = if top.row == row { Position::row(row) } else { top };
        self.follows = false;
        self.settle();
    }

    /// Shows the current match, and unfolds its row if the match is hidden.
    fn show_match(&mut self) {
        let Some(mut search) = self.search.take() else { return };
        let mut place = search.place(&mut self.rows);
        if place.is_none()
            && let Some((row, _)) = search.current
        {
            self.unfold(row);
            place = search.place_nearest(&mut self.rows);
        }
        self.search = Some(search);
        let Some(place) = place else { return };
        let top = self.top();
        let last = self.rows.down(top, self.frame.height.saturating_sub(2));
        if place < top || place > last {
            self.top = self.rows.up(place, self.frame.height / 3);
            self.follows = false;
            self.settle();
        }
    }

    /// Whether the first line of a row is visible.
    fn shows_start_of(&mut self, row: usize) -> bool {
        let top = self.top();
        let last = self.rows.down(top, self.frame.height.saturating_sub(1));
        (top..=last).contains(&Position::row(row))
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
        let length = |line: &crate::layout::DrawnLine| line.text().len() + line.joined.unwrap_or(0);
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

fn matches_jump(content: &RowContent, jump: Jump) -> bool {
    match jump {
        Jump::PreviousRow | Jump::NextRow => true,
        Jump::PreviousPrompt | Jump::NextPrompt => matches!(content, RowContent::Prompt { .. }),
        Jump::PreviousMessage | Jump::NextMessage => {
            matches!(content, RowContent::Prompt { .. } | RowContent::Answer { .. })
        }
        Jump::PreviousToolCall | Jump::NextToolCall => matches!(content, RowContent::ToolCall(_)),
    }
}
