//! A list to choose from, drawn beside the composer.

use super::row_text::{self, Cells};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

/// The maximum number of rows.
pub const MAX_ROWS: u16 = 10;

/// An entry of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListItem {
    /// The name.
    pub name: String,
    /// The byte positions of the characters of the name that match what the person typed.
    pub matched: Vec<usize>,
    /// What can follow the name, such as `[NUMBER]`.
    pub hint: String,
    /// The description.
    pub detail: String,
}

/// The styles of a list. The selected entry has a mark too, so that colours are not needed.
#[derive(Debug, Clone, Copy)]
pub struct ListStyles {
    /// The names.
    pub name: Style,
    /// The hints, descriptions and the note.
    pub detail: Style,
    /// The matching characters of the names, added to the style of the name.
    pub matched: Style,
    /// The selected entry, added to the other styles.
    pub selected: Style,
    /// Whether the terminal can show more than ASCII.
    pub unicode: bool,
}

impl Default for ListStyles {
    fn default() -> Self {
        Self {
            name: Style::new(),
            detail: Style::new().add_modifier(Modifier::DIM),
            matched: Style::new().add_modifier(Modifier::BOLD),
            selected: Style::new().add_modifier(Modifier::REVERSED),
            unicode: true,
        }
    }
}

/// A list with a selected entry.
#[derive(Debug, Clone, Default)]
pub struct ListPopup {
    items: Vec<ListItem>,
    selected: usize,
    /// The first visible entry.
    first: usize,
    /// A line below the entries; may be empty.
    note: String,
    /// Whether the entries are those of the last drawing.
    is_drawn: bool,
}

impl ListPopup {
    /// Returns a list of these entries, with the first one selected.
    pub fn new(items: Vec<ListItem>) -> Self {
        Self { items, ..Self::default() }
    }

    /// Replaces the entries. The selected entry stays selected if the list still has one of its
    /// name and the person moved to it; otherwise the first one is selected.
    pub fn set_items(&mut self, items: Vec<ListItem>) {
        let name = self.selected().filter(|_| self.selected > 0).map(|item| item.name.clone());
        self.is_drawn &= items == self.items;
        let place = name.and_then(|name| items.iter().position(|item| item.name == name));
        self.items = items;
        self.selected = place.unwrap_or(0);
        self.first = self.first.min(self.selected);
    }

    /// Selects the first entry.
    pub fn select_first(&mut self) {
        (self.selected, self.first) = (0, 0);
    }

    /// Shows a line below the entries; an empty one is not shown.
    pub fn set_note(&mut self, note: impl Into<String>) {
        self.note = note.into();
    }

    /// Returns the entries.
    pub fn items(&self) -> &[ListItem] {
        &self.items
    }

    /// Returns the selected entry; `None` if the list is empty.
    pub fn selected(&self) -> Option<&ListItem> {
        self.items.get(self.selected)
    }

    /// Returns the index of the selected entry.
    pub fn selected_index(&self) -> usize {
        self.selected
    }

    /// Selects the entry that is `rows` below the selected one, or above it if negative. A step of
    /// one row goes on at the other end of the list.
    pub fn move_by(&mut self, rows: isize) {
        let Some(last) = self.items.len().checked_sub(1) else { return };
        self.selected = match rows {
            1 if self.selected == last => 0,
            -1 if self.selected == 0 => last,
            rows => self.selected.saturating_add_signed(rows).min(last),
        };
    }

    /// Returns the number of rows that the list needs, at most [`MAX_ROWS`].
    pub fn height(&self) -> u16 {
        let rows = self.items.len() + usize::from(!self.note.is_empty());
        u16::try_from(rows).unwrap_or(u16::MAX).min(MAX_ROWS)
    }

    /// Selects the entry at a row of the area in which the list was drawn. Returns false if there
    /// is none, or if the entries changed since.
    pub fn click(&mut self, area: Rect, row: u16) -> bool {
        let Some(offset) = row.checked_sub(area.y).filter(|_| row < area.bottom()) else {
            return false;
        };
        let at = self.first + usize::from(offset);
        let found = at < self.items.len() && usize::from(offset) < self.visible(area);
        let found = found && self.is_drawn;
        if found {
            self.selected = at;
        }
        found
    }

    fn visible(&self, area: Rect) -> usize {
        let note = u16::from(!self.note.is_empty() && area.height > 1);
        usize::from(area.height - note.min(area.height))
    }

    /// Draws the list in this area, scrolled so that the selected entry is visible.
    pub fn render(&mut self, area: Rect, buffer: &mut Buffer, styles: &ListStyles) {
        let area = area.intersection(buffer.area);
        let visible = self.visible(area);
        if area.is_empty() || visible == 0 {
            return;
        }
        self.first = self.first.min(self.selected);
        self.first = self.first.max((self.selected + 1).saturating_sub(visible));
        self.first = self.first.min(self.items.len().saturating_sub(visible));
        self.is_drawn = true;
        let shown = self.items.iter().skip(self.first).take(visible);
        let names = shown.clone().map(|item| row_text::columns(&full_name(item)));
        let column = names.max().unwrap_or(0).min(usize::from(area.width) * 2 / 3);
        let mut y = area.y;
        for (at, item) in shown.enumerate() {
            let selected = self.first + at == self.selected;
            render_item(item, selected, column, Rect { y, height: 1, ..area }, buffer, styles);
            y += 1;
        }
        if !self.note.is_empty() && y < area.bottom() {
            let mut cells = Cells::new(Rect { y, height: 1, ..area }, buffer, styles.unicode);
            cells.fill(styles.detail);
            cells.put("  ", styles.detail);
            cells.put(&self.note, styles.detail);
        }
    }
}

fn full_name(item: &ListItem) -> String {
    match item.hint.is_empty() {
        true => item.name.clone(),
        false => format!("{} {}", item.name, item.hint),
    }
}

fn render_item(
    item: &ListItem,
    selected: bool,
    column: usize,
    area: Rect,
    buffer: &mut Buffer,
    styles: &ListStyles,
) {
    let with = |style: Style| if selected { style.patch(styles.selected) } else { style };
    let (name, detail) = (with(styles.name), with(styles.detail));
    let mut cells = Cells::new(area, buffer, styles.unicode);
    cells.fill(name);
    cells.put(if selected { "> " } else { "  " }, name);
    let room = usize::from(area.width).saturating_sub(2);
    let hint = match item.hint.is_empty() {
        true => 0,
        false => row_text::columns(&item.hint) + 1,
    };
    // The end of a long path says more than its beginning.
    let (cut, begin) = row_text::cut_start(&item.name, room.saturating_sub(hint).max(room / 2));
    if begin > 0 {
        cells.put(cut, detail);
    }
    let end = item.name.get(begin..).unwrap_or_default();
    for (at, cluster) in row_text::clusters(end) {
        let is_match = item.matched.binary_search(&(begin + at)).is_ok();
        cells.put(cluster, if is_match { name.patch(styles.matched) } else { name });
    }
    if !item.hint.is_empty() {
        cells.put(" ", detail);
        cells.put(&item.hint, detail);
    }
    if !item.detail.is_empty() && room > column + 10 {
        cells.skip_to(2 + column + 2, detail);
        cells.put(&item.detail, detail);
    }
}

/// Returns the area of a list of `rows` rows: above the composer if there is room, otherwise below
/// it, otherwise as much as fits on the larger side.
pub fn place(rows: u16, composer: Rect, screen: Rect) -> Rect {
    let above = composer.y.saturating_sub(screen.y);
    let below = screen.bottom().saturating_sub(composer.bottom());
    let on_top = above >= rows || above >= below;
    let height = rows.min(if on_top { above } else { below });
    let y = if on_top { composer.y - height } else { composer.bottom() };
    Rect { x: composer.x, y, width: composer.width, height }.intersection(screen)
}
