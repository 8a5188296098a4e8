//! Tables that may get more rows.

use super::inline;
use super::limits::PARTS;
use crate::block::{Alignment, Block, Table};
use crate::span::{Line, Role};

/// The largest number of columns. A line with more cells is no table.
const COLUMNS: usize = 64;

/// The rows of a table since its last division.
#[derive(Debug, Clone)]
pub(super) struct OpenTable {
    alignments: Vec<Alignment>,
    header: Vec<Line>,
    rows: Vec<Vec<Line>>,
    continued: bool,
}

impl OpenTable {
    /// Returns a table without rows, if the first line has as many cells as the second one.
    pub(super) fn new(first: &str, alignments: Vec<Alignment>) -> Option<Self> {
        let cells = cells(first, COLUMNS + 1);
        if !first.contains('|') || cells.len() != alignments.len() || cells.len() > COLUMNS {
            return None;
        }
        let header = cells.iter().map(|cell| inline::line(cell, Role::Text, false)).collect();
        Some(Self { alignments, header, rows: Vec::new(), continued: false })
    }

    /// Returns the table that a line probably begins, while its second line has not come.
    pub(super) fn expected(first: &str) -> Option<Block> {
        let cells = cells(first.trim().strip_prefix('|')?, COLUMNS);
        let header: Vec<Line> =
            cells.iter().map(|cell| inline::line(cell, Role::Text, true)).collect();
        let alignments = vec![Alignment::default(); header.len()];
        Some(Block::Table(Table { alignments, header, rows: Vec::new() }))
    }

    /// Adds a row. Returns a part of the table if the table is long enough to be divided.
    pub(super) fn row(&mut self, text: &str, open: bool) -> Option<Block> {
        let cells = cells(text, self.alignments.len());
        self.rows.push(cells.iter().map(|cell| inline::line(cell, Role::Text, open)).collect());
        if self.rows.len() < PARTS {
            return None;
        }
        let part = self.part();
        self.continued = true;
        Some(part)
    }

    /// Returns the last part of the table.
    pub(super) fn end(mut self) -> Option<Block> {
        (!self.rows.is_empty() || !self.continued).then(|| self.part())
    }

    fn part(&mut self) -> Block {
        Block::Table(Table {
            alignments: self.alignments.clone(),
            header: std::mem::take(&mut self.header),
            rows: std::mem::take(&mut self.rows),
        })
    }
}

/// Divides a row into at most this number of cells. The last cell keeps the rest of the row.
fn cells(row: &str, limit: usize) -> Vec<String> {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let mut cells = vec![String::new()];
    let mut characters = row.chars().peekable();
    while let Some(character) = characters.next() {
        let count = cells.len();
        let Some(cell) = cells.last_mut() else { break };
        match character {
            '\\' if characters.peek() == Some(&'|') => {
                characters.next();
                cell.push('|');
            }
            '\\' => {
                cell.push('\\');
                cell.extend(characters.next());
            }
            // A bar at the end of the row begins no cell.
            '|' if characters.peek().is_none() => {}
            '|' if count < limit => cells.push(String::new()),
            character => cell.push(character),
        }
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}
