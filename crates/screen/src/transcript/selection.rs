//! The selected row, folding, and clicks.

use super::Transcript;
use super::plain_text;
use super::row_list::Position;
use super::scrolling::Scroll;
use crate::layout::SegmentKind;
use std::sync::Arc;

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

impl Transcript {
    /// Returns the index of the selected row.
    pub fn selected(&self) -> Option<usize> {
        self.selected
    }

    /// Selects a row, or none.
    pub fn select(&mut self, row: Option<usize>) {
        self.selected = row.filter(|row| *row < self.rows.len());
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

    /// Folds reasoning, or shows it. Rows that the person folded or unfolded follow too.
    pub fn set_folds_thoughts(&mut self, folds: bool) {
        let top = self.top();
        self.rows.folds_thoughts = folds;
        for index in 0..self.rows.len() {
            let Some(slot) = self.rows.slots.get_mut(index) else { continue };
            slot.folds_thoughts = folds;
            if slot.is_thought() {
                slot.folded = None;
                self.rows.rebuild(index);
            }
        }
        self.top = self.rows.clamp(top);
        self.settle();
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

    fn toggle(&mut self, row: usize) {
        let top = self.top();
        let Some(slot) = self.rows.slots.get_mut(row) else { return };
        slot.folded = Some(!slot.is_folded());
        self.rows.rebuild(row);
        self.top = if top.row == row { Position::row(row) } else { top };
        self.follows = false;
        self.settle();
    }
}
