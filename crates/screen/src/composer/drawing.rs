//! How the composer is drawn.

use super::Composer;
use super::grapheme::{self, is_chip};
use super::layout;
use ratatui::buffer::Buffer as Cells;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};

/// The columns before the text.
const MARK: u16 = 2;

/// The styles of the composer.
#[derive(Debug, Clone, Copy)]
pub struct ComposerStyles {
    /// The text.
    pub text: Style,
    /// The mark before the text.
    pub mark: Style,
    /// The mark and the text of a shell command.
    pub shell: Style,
    /// The text that an empty composer shows.
    pub placeholder: Style,
    /// Pasted texts and images.
    pub chip: Style,
    /// Selected text, added to the other styles.
    pub selection: Style,
    /// Whether the terminal can show more than ASCII.
    pub unicode: bool,
}

impl Default for ComposerStyles {
    fn default() -> Self {
        Self {
            text: Style::new(),
            mark: Style::new().add_modifier(Modifier::BOLD),
            shell: Style::new().add_modifier(Modifier::BOLD),
            placeholder: Style::new().add_modifier(Modifier::DIM),
            chip: Style::new().add_modifier(Modifier::UNDERLINED),
            selection: Style::new().add_modifier(Modifier::REVERSED),
            unicode: true,
        }
    }
}

impl Composer {
    /// Returns the columns for text in an area. The last column is for the cursor.
    fn text_width(width: u16) -> usize {
        usize::from(width.saturating_sub(MARK + 1).max(1))
    }

    /// Returns the number of rows that the text needs at this width: at least 1, at most `max`.
    pub fn height(&mut self, width: u16, max: u16) -> u16 {
        let rows = self.editor.rows(Self::text_width(width)).len();
        u16::try_from(rows).unwrap_or(u16::MAX).min(max).max(1)
    }

    /// Draws the text, scrolled so that the cursor is visible, and returns the place of the cursor;
    /// `None` if the area is empty.
    pub fn render(
        &mut self,
        area: Rect,
        cells: &mut Cells,
        styles: &ComposerStyles,
    ) -> Option<Position> {
        let area = area.intersection(cells.area);
        if area.is_empty() {
            return None;
        }
        let cursor = self.editor.buffer.cursor();
        let rows = self.editor.rows(Self::text_width(area.width));
        let (count, cursor_row) = (rows.len(), rows.row_of(cursor));
        let height = usize::from(area.height);
        self.first_row = self.first_row.clamp((cursor_row + 1).saturating_sub(height), cursor_row);
        self.first_row = self.first_row.min(count.saturating_sub(height));
        let shell = self.is_shell();
        for (y, row) in (area.y..area.bottom()).zip(self.first_row..) {
            cells.set_style(Rect { y, height: 1, ..area }, styles.text);
            clear_row(cells, Rect { y, height: 1, ..area });
            if row == 0 {
                let (mark, style) = match (shell, styles.unicode) {
                    (true, _) => ("$", styles.shell),
                    (false, true) => ("›", styles.mark),
                    (false, false) => (">", styles.mark),
                };
                cells.set_stringn(area.x, y, mark, 1, style);
            }
            if row < count {
                self.render_row(row, area, y, cells, styles);
            }
        }
        if self.is_empty() && area.width > MARK {
            let room = usize::from(area.width - MARK);
            let text = grapheme::drawn_text(&self.placeholder);
            cells.set_stringn(area.x + MARK, area.y, text, room, styles.placeholder);
        }
        let row = self.editor.rows(Self::text_width(area.width)).row(cursor_row);
        let (text, chips) = (self.editor.buffer.text(), &self.editor.chips);
        let column = layout::column(text, row, cursor, chips);
        let x =
            area.x.saturating_add(MARK).saturating_add(u16::try_from(column).unwrap_or(u16::MAX));
        let y = u16::try_from(cursor_row - self.first_row).unwrap_or(0);
        Some(Position::new(x.min(area.right() - 1), area.y.saturating_add(y)))
    }

    fn render_row(
        &mut self,
        row: usize,
        area: Rect,
        y: u16,
        cells: &mut Cells,
        styles: &ComposerStyles,
    ) {
        let range = self.editor.rows(Self::text_width(area.width)).row(row);
        let shell = self.is_shell();
        let (buffer, chips) = (&self.editor.buffer, &self.editor.chips);
        let selection = self.vim.as_ref().and_then(|vim| vim.selection(buffer)).unwrap_or_default();
        let mut x = area.x.saturating_add(MARK);
        for (at, cluster) in grapheme::all(buffer.slice(range.clone())) {
            let chip = cluster.chars().next().filter(|first| is_chip(*first));
            let (text, style) = match chip {
                Some(chip) => (chips.label(chip), styles.chip),
                None if shell => (grapheme::drawn(cluster), styles.shell),
                None => (grapheme::drawn(cluster), styles.text),
            };
            let selected = selection.contains(&(range.start + at));
            let style = if selected { style.patch(styles.selection) } else { style };
            let columns = u16::try_from(layout::columns_of(cluster, chips)).unwrap_or(u16::MAX);
            let room = area.right().saturating_sub(x);
            if room == 0 || chip.is_none() && columns > room {
                break;
            }
            cells.set_stringn(x, y, text, usize::from(room), style);
            x = x.saturating_add(columns);
        }
    }

    /// Moves the cursor to a cell of the area in which the composer was drawn.
    pub fn click(&mut self, area: Rect, at: Position) {
        if !area.contains(at) {
            return;
        }
        self.editor.rows(Self::text_width(area.width));
        let row = self.first_row + usize::from(at.y - area.y);
        let column = usize::from((at.x - area.x).saturating_sub(MARK));
        let position = self.editor.position(row, column);
        self.editor.settle();
        self.editor.buffer.end_step();
        self.editor.buffer.move_to(position);
        self.update_completion();
        self.notice();
    }
}

fn clear_row(cells: &mut Cells, row: Rect) {
    for x in row.left()..row.right() {
        if let Some(cell) = cells.cell_mut((x, row.y)) {
            cell.set_symbol(" ");
        }
    }
}
