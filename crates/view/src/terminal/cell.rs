//! Characters of a line, with their styles.

use crate::span::{Color, Colors, Line, Role, Span, Style};
use unicode_width::UnicodeWidthChar;

/// The attributes of a character.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct CellStyle {
    pub(super) foreground: Option<Color>,
    pub(super) background: Option<Color>,
    pub(super) bold: bool,
    pub(super) dim: bool,
    pub(super) italic: bool,
    pub(super) underlined: bool,
    pub(super) struck: bool,
    pub(super) inverse: bool,
}

impl CellStyle {
    fn style(self) -> Style {
        let (mut foreground, mut background) = (self.foreground, self.background);
        if self.inverse {
            (foreground, background) = (
                Some(background.unwrap_or(Color::Indexed(0))),
                Some(foreground.unwrap_or(Color::Indexed(7))),
            );
        }
        let colors = Colors { foreground, background };
        Style {
            strong: self.bold,
            emphasis: self.italic,
            struck: self.struck,
            underlined: self.underlined,
            colors: (colors != Colors::default()).then_some(colors),
            ..Style::of(if self.dim { Role::Muted } else { Role::Text })
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cell {
    character: char,
    /// The number of columns; 0 for a mark that belongs to the character before.
    width: u8,
    style: CellStyle,
}

impl Cell {
    const BLANK: Self = Self {
        character: ' ',
        width: 1,
        style: CellStyle {
            foreground: None,
            background: None,
            bold: false,
            dim: false,
            italic: false,
            underlined: false,
            struck: false,
            inverse: false,
        },
    };
}

/// A line of cells.
#[derive(Debug, Clone, Default)]
pub(super) struct CellLine {
    cells: Vec<Cell>,
    /// The sum of the widths.
    columns: usize,
}

impl CellLine {
    /// The number of marks without a width that one line may have per column.
    const MARKS: usize = 8;

    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// Writes a character at a column, over the one that is there. Returns the column after it.
    pub(super) fn put(&mut self, column: usize, character: char, style: CellStyle) -> usize {
        let width = character.width().unwrap_or(0).min(2);
        let cell = Cell { character, width: width as u8, style };
        if width == 0 {
            if self.cells.len() < (self.columns + 1) * Self::MARKS {
                let at = self.index(column);
                self.cells.insert(at, cell);
            }
            return column;
        }
        self.extend(column);
        if column == self.columns {
            self.cells.push(cell);
            self.columns += width;
            return column + width;
        }
        self.erase(column, column + width);
        let start = self.index_before(column);
        let end = self.index_before((column + width).min(self.columns));
        self.columns += width;
        let gone = self.cells.get(start..end).unwrap_or_default();
        self.columns -= gone.iter().map(|cell| usize::from(cell.width)).sum::<usize>();
        self.cells.splice(start..end, [cell]);
        column + width
    }

    /// Makes columns blank.
    pub(super) fn erase(&mut self, from: usize, to: usize) {
        if to >= self.columns {
            self.split(from);
            let at = self.index_before(from);
            self.cells.truncate(at);
            self.columns = self.columns.min(from);
            return;
        }
        self.split(from);
        self.split(to);
        let (start, end) = (self.index_before(from), self.index_before(to));
        if start < end {
            self.cells.splice(start..end, std::iter::repeat_n(Cell::BLANK, to - from));
        }
    }

    /// Removes columns, so that those after them move to the left.
    pub(super) fn delete(&mut self, from: usize, count: usize) {
        let to = from.saturating_add(count).min(self.columns);
        if from < to {
            self.erase(from, to);
            let (start, end) = (self.index_before(from), self.index_before(to));
            self.cells.drain(start..end.max(start));
            self.columns = self.cells.iter().map(|cell| usize::from(cell.width)).sum();
        }
    }

    /// Fills the line with blanks up to a column.
    fn extend(&mut self, column: usize) {
        if column > self.columns {
            self.cells.extend(std::iter::repeat_n(Cell::BLANK, column - self.columns));
            self.columns = column;
        }
    }

    /// Replaces a wide character around a column by blanks.
    fn split(&mut self, column: usize) {
        let mut at = 0;
        for index in 0..self.cells.len() {
            let width = self.cells.get(index).map_or(0, |cell| usize::from(cell.width));
            if at < column && at + width > column {
                self.cells.splice(index..=index, [Cell::BLANK, Cell::BLANK]);
                return;
            }
            at += width;
            if at >= column {
                return;
            }
        }
    }

    /// The index of the first cell at a column.
    fn index_before(&self, column: usize) -> usize {
        let mut at = 0;
        let found = self.cells.iter().position(|cell| {
            let is_found = at >= column && cell.width > 0;
            at += usize::from(cell.width);
            is_found
        });
        found.unwrap_or(self.cells.len())
    }

    /// The index after the character before a column and its marks.
    fn index(&self, column: usize) -> usize {
        match column >= self.columns {
            true => self.cells.len(),
            false => self.index_before(column),
        }
    }

    pub(super) fn line(&self) -> Line {
        let blank = |cell: &&Cell| **cell == Cell::BLANK;
        let length = self.cells.len() - self.cells.iter().rev().take_while(blank).count();
        let mut spans: Vec<Span> = Vec::new();
        let mut last = None;
        for cell in self.cells.iter().take(length) {
            match spans.last_mut().filter(|_| last == Some(cell.style)) {
                Some(span) => span.text.push(cell.character),
                None => {
                    spans.push(Span { text: cell.character.to_string(), style: cell.style.style() })
                }
            }
            last = Some(cell.style);
        }
        Line { spans }
    }
}
