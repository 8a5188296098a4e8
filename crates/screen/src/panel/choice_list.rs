//! A list with a filter and a selected row.

use super::drawing::{cut, put};
use super::line_input::LineInput;
use crate::keymap::Action;
use crate::layout::width;
use crate::theme::Theme;
use attache_view::Role;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

/// One row of a list.
#[derive(Debug, Clone, Default)]
pub(crate) struct Choice {
    /// A short mark before the text, with its role.
    pub(crate) mark: (String, Role),
    /// The text.
    pub(crate) text: String,
    /// Less important text at the right.
    pub(crate) note: String,
}

/// The state of a list: the filter, the selected row, and the first visible row.
#[derive(Debug, Default)]
pub(crate) struct ChoiceList {
    pub(crate) filter: LineInput,
    selected: usize,
    first: usize,
    /// The number of rows and of visible rows when the list was last drawn.
    count: usize,
    shown: usize,
}

impl ChoiceList {
    /// Makes a list whose selected row is this one.
    pub(crate) fn selecting(selected: usize) -> Self {
        Self { selected, ..Self::default() }
    }

    /// The index of the selected row.
    pub(crate) fn selected(&self) -> usize {
        self.selected
    }

    /// Selects a row.
    pub(crate) fn select(&mut self, index: usize) {
        self.selected = index;
    }

    /// Selects the row to which the selected item moved; `None` if the item is gone.
    pub(crate) fn follow(&mut self, index: Option<usize>) {
        self.selected = index.unwrap_or(self.selected);
    }

    /// Tells the list how many rows there are.
    pub(crate) fn set_count(&mut self, count: usize) {
        self.count = count;
        self.selected = self.selected.min(count.saturating_sub(1));
    }

    /// Moves the selection; `false` if the action does not move it.
    pub(crate) fn act(&mut self, action: Action) -> bool {
        let page = self.shown.max(1);
        let last = self.count.saturating_sub(1);
        self.selected = match action {
            Action::Up if self.selected == 0 => last,
            Action::Up => self.selected - 1,
            Action::Down if self.selected >= last => 0,
            Action::Down => self.selected + 1,
            Action::PageUp => self.selected.saturating_sub(page),
            Action::PageDown => (self.selected + page).min(last),
            Action::Top => 0,
            Action::Bottom => last,
            _ => return false,
        };
        true
    }

    /// Edits the filter; `false` if the key does not edit it.
    pub(crate) fn edit_filter(&mut self, key: KeyEvent) -> bool {
        let edited = self.filter.key(key);
        if edited {
            self.selected = 0;
        }
        edited
    }

    pub(crate) fn scroll(&mut self, rows: i32) {
        let last = self.count.saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(rows as isize).min(last);
    }

    /// The row of the list at this row of the area of the last drawing.
    pub(crate) fn at(&self, row: u16) -> Option<usize> {
        let index = self.first + usize::from(row);
        (index < self.count).then_some(index)
    }

    /// Draws the rows, so that the selected one is visible.
    pub(crate) fn render(
        &mut self,
        rows: &[Choice],
        area: Rect,
        buffer: &mut Buffer,
        theme: &Theme,
    ) {
        let row = |index: usize| rows.get(index).cloned().unwrap_or_default();
        self.render_visible(rows.len(), row, area, buffer, theme);
    }

    /// Draws a list with this many rows, so that the selected one is visible. Calls `row` only for
    /// the visible rows.
    pub(crate) fn render_visible(
        &mut self,
        count: usize,
        row: impl Fn(usize) -> Choice,
        area: Rect,
        buffer: &mut Buffer,
        theme: &Theme,
    ) {
        self.set_count(count);
        self.shown = usize::from(area.height);
        if self.selected < self.first {
            self.first = self.selected;
        }
        if self.selected >= self.first + self.shown.max(1) {
            self.first = self.selected + 1 - self.shown.max(1);
        }
        self.first = self.first.min(count.saturating_sub(self.shown));
        for (line, index) in (self.first..count).take(self.shown).enumerate() {
            let row = row(index);
            let y = area.y + line as u16;
            let selected = index == self.selected;
            let pointer = if selected { "> " } else { "  " };
            let x = put(buffer, area.x, y, area.right(), pointer, theme.role(Role::Name));
            let (mark, role) = &row.mark;
            let mut x = put(buffer, x, y, area.right(), mark, theme.role(*role));
            if !mark.is_empty() {
                x = put(buffer, x, y, area.right(), " ", theme.role(Role::Text));
            }
            let note = cut(&row.note, usize::from(area.width) / 2);
            let note_width = width(&note) as u16;
            let space = if note_width == 0 { 0 } else { note_width + 1 };
            let end = area.right().saturating_sub(space);
            let mut style = theme.role(Role::Text);
            if selected {
                style = style.add_modifier(Modifier::BOLD);
            }
            let text = cut(&row.text, usize::from(end.saturating_sub(x)));
            put(buffer, x, y, end, &text, style);
            let at = area.right().saturating_sub(note_width).max(area.x);
            put(buffer, at, y, area.right(), &note, theme.role(Role::Muted));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_visible_rows_are_made() {
        let mut list = ChoiceList::selecting(4_000);
        let area = Rect::new(0, 0, 40, 10);
        let made = std::cell::RefCell::new(Vec::new());
        let row = |index: usize| {
            made.borrow_mut().push(index);
            Choice { text: format!("row {index}"), ..Choice::default() }
        };
        let mut buffer = Buffer::empty(area);
        let theme = Theme::dark(crate::theme::ColorDepth::Rgb, crate::theme::Glyphs::ASCII);
        list.render_visible(5_000, row, area, &mut buffer, &theme);
        assert_eq!(*made.borrow(), (3_991..4_001).collect::<Vec<_>>());
    }

    #[test]
    fn the_selection_follows_its_item() {
        let mut list = ChoiceList::selecting(2);
        list.follow(Some(4));
        assert_eq!(list.selected(), 4);
        list.follow(None);
        list.set_count(3);
        assert_eq!(list.selected(), 2);
    }
}
