//! The lines of a terminal and its cursor.

use super::cell::{CellLine, CellStyle};
use super::sgr;
use crate::span::Line;
use std::collections::VecDeque;

/// The number of columns after which a line continues in the next one.
const COLUMNS: usize = 4_096;

/// The width of a tab.
const TAB: usize = 8;

#[derive(Debug, Clone, Copy, Default)]
struct Cursor {
    /// The index of the line.
    row: usize,
    column: usize,
}

/// The lines of a terminal and its cursor.
#[derive(Debug)]
pub(super) struct Grid {
    lines: VecDeque<CellLine>,
    cursor: Cursor,
    saved: Cursor,
    style: CellStyle,
    /// The number of lines to keep.
    limit: usize,
    /// The number of rows of the screen, from whose top the cursor is moved.
    rows: usize,
    omitted: usize,
}

impl Grid {
    pub(super) fn new(limit: usize, rows: usize) -> Self {
        let rows = rows.clamp(1, 1_000);
        Self {
            lines: VecDeque::from([CellLine::default()]),
            cursor: Cursor::default(),
            saved: Cursor::default(),
            style: CellStyle::default(),
            limit: limit.max(rows),
            rows,
            omitted: 0,
        }
    }

    /// Returns an empty terminal of the same size.
    pub(super) fn blank(&self) -> Self {
        Self::new(self.limit, self.rows)
    }

    /// Removes all lines, because output after them is missing.
    pub(super) fn omit(&mut self) {
        let omitted = self.omitted + self.lines.len();
        *self = self.blank();
        self.omitted = omitted;
    }

    pub(super) fn omitted(&self) -> usize {
        self.omitted
    }

    pub(super) fn lines(&self) -> Vec<Line> {
        let mut lines: Vec<Line> = self.lines.iter().map(CellLine::line).collect();
        while lines.last().is_some_and(|line| line.spans.is_empty()) {
            lines.pop();
        }
        lines
    }

    /// Writes a character at the cursor.
    pub(super) fn put(&mut self, character: char) {
        let character = match character {
            // Direction must not change, and these line ends are none in a terminal.
            '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
            character => character,
        };
        if self.cursor.column >= COLUMNS {
            self.line_feed();
        }
        let (column, style) = (self.cursor.column, self.style);
        self.cursor.column = self.line().put(column, character, style);
    }

    /// Returns the line of the cursor.
    fn line(&mut self) -> &mut CellLine {
        let row = self.cursor.row;
        while self.lines.len() <= row {
            self.lines.push_back(CellLine::default());
        }
        // The loop before this makes the line exist.
        #[expect(clippy::indexing_slicing, reason = "the loop makes the line exist")]
        &mut self.lines[row]
    }

    /// Goes to the start of the next line, because output of pipes has no carriage returns.
    fn line_feed(&mut self) {
        self.cursor = Cursor { row: self.cursor.row + 1, column: 0 };
        self.line();
        if self.lines.len() > self.limit {
            self.lines.pop_front();
            self.omitted += 1;
            self.cursor.row = self.cursor.row.saturating_sub(1);
            self.saved.row = self.saved.row.saturating_sub(1);
        }
    }

    pub(super) fn control(&mut self, control: char) {
        match control {
            '\n' | '\u{b}' | '\u{c}' | '\u{85}' => self.line_feed(),
            '\r' => self.cursor.column = 0,
            '\u{8}' => self.cursor.column = self.cursor.column.saturating_sub(1),
            '\t' => {
                let column = (self.cursor.column / TAB + 1) * TAB;
                // Blanks are written, so that the spaces are part of the text.
                while self.cursor.column < column && self.cursor.column < COLUMNS {
                    match self.cursor.column < self.line().columns() {
                        true => self.cursor.column += 1,
                        false => self.put(' '),
                    }
                }
            }
            _ => {}
        }
    }

    pub(super) fn escape(&mut self, last: char) {
        match last {
            '7' => self.saved = self.cursor,
            '8' => self.cursor = self.saved,
            'D' | 'E' => self.line_feed(),
            'M' => self.up(1),
            _ => {}
        }
    }

    pub(super) fn sequence(&mut self, parameters: &[u16], last: char) {
        let first = parameters.first().map_or(0, |first| usize::from(*first));
        let count = first.max(1);
        let second = parameters.get(1).map_or(0, |second| usize::from(*second));
        match last {
            'm' => sgr::apply(&mut self.style, parameters),
            'A' => self.up(count),
            'B' => self.down(count),
            'C' => self.cursor.column = (self.cursor.column + count).min(COLUMNS),
            'D' => self.cursor.column = self.cursor.column.saturating_sub(count),
            'E' => {
                self.down(count);
                self.cursor.column = 0;
            }
            'F' => {
                self.up(count);
                self.cursor.column = 0;
            }
            'G' | '`' => self.cursor.column = (count - 1).min(COLUMNS),
            'd' => self.cursor.row = self.top() + (count - 1).min(self.rows - 1),
            'H' | 'f' => {
                let row = self.top() + (count - 1).min(self.rows - 1);
                let column = second.saturating_sub(1).min(COLUMNS);
                self.cursor = Cursor { row, column };
            }
            'J' => self.erase_screen(first),
            'K' => self.erase_line(first),
            'P' => {
                let column = self.cursor.column;
                self.line().delete(column, count);
            }
            'X' => {
                let column = self.cursor.column;
                self.line().erase(column, column + count);
            }
            's' => self.saved = self.cursor,
            'u' => self.cursor = self.saved,
            _ => {}
        }
    }

    /// The index of the first line of the screen.
    fn top(&self) -> usize {
        self.lines.len().saturating_sub(self.rows)
    }

    fn up(&mut self, count: usize) {
        self.cursor.row = self.cursor.row.saturating_sub(count).max(self.top());
    }

    fn down(&mut self, count: usize) {
        let bottom = self.top() + self.rows - 1;
        self.cursor.row = (self.cursor.row + count).min(bottom.max(self.cursor.row));
    }

    fn erase_line(&mut self, part: usize) {
        let column = self.cursor.column;
        match part {
            0 => self.line().erase(column, usize::MAX),
            1 => self.line().erase(0, column + 1),
            2 => *self.line() = CellLine::default(),
            _ => {}
        }
    }

    fn erase_screen(&mut self, part: usize) {
        let (row, top) = (self.cursor.row, self.top());
        match part {
            0 => {
                self.erase_line(0);
                self.lines.truncate(row + 1);
            }
            1 => {
                self.erase_line(1);
                for line in self.lines.iter_mut().take(row).skip(top) {
                    *line = CellLine::default();
                }
            }
            2 => {
                for line in self.lines.iter_mut().skip(top) {
                    *line = CellLine::default();
                }
            }
            3 => {
                self.omitted += top;
                self.lines.drain(..top);
                self.cursor.row = row.saturating_sub(top);
                self.saved.row = self.saved.row.saturating_sub(top);
            }
            _ => {}
        }
    }
}
