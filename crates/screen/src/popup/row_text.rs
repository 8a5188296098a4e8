//! Text in one row of cells.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Returns the characters of a text that a person sees, and where they begin.
pub(super) fn clusters(text: &str) -> impl DoubleEndedIterator<Item = (usize, &str)> {
    text.grapheme_indices(true)
}

/// Returns the number of columns of a text.
pub(super) fn columns(text: &str) -> usize {
    clusters(text).map(|(_, cluster)| width(cluster)).sum()
}

fn width(cluster: &str) -> usize {
    cluster.width().max(1)
}

/// Returns where the end of a text begins that fits in this many columns, with the mark that shows
/// that the text before it is missing.
pub(super) fn cut_start(text: &str, room: usize) -> (&'static str, usize) {
    if columns(text) <= room {
        return ("", 0);
    }
    let (mark, mut left) = ("..", room.saturating_sub(2));
    let mut begin = text.len();
    for (at, cluster) in clusters(text).rev() {
        let Some(rest) = left.checked_sub(width(cluster)) else { break };
        (left, begin) = (rest, at);
    }
    (mark, begin)
}

/// One row of cells, filled from the left. Text that does not fit is cut.
pub(super) struct Cells<'b> {
    area: Rect,
    buffer: &'b mut Buffer,
    x: u16,
    unicode: bool,
}

impl<'b> Cells<'b> {
    /// Returns the row of this area, which is inside of the buffer.
    pub(super) fn new(area: Rect, buffer: &'b mut Buffer, unicode: bool) -> Self {
        Self { area, buffer, x: area.x, unicode }
    }

    /// Clears the row.
    pub(super) fn fill(&mut self, style: Style) {
        for x in self.area.left()..self.area.right() {
            if let Some(cell) = self.buffer.cell_mut((x, self.area.y)) {
                cell.reset();
                cell.set_style(style);
            }
        }
    }

    /// Continues at a column of the row, unless the text is there already.
    pub(super) fn skip_to(&mut self, column: usize, style: Style) {
        let x = self.area.x.saturating_add(u16::try_from(column).unwrap_or(u16::MAX));
        match x <= self.x {
            true => self.put("  ", style),
            false => self.x = x,
        }
    }

    /// Draws a text. Characters without a width are drawn as a dot.
    pub(super) fn put(&mut self, text: &str, style: Style) {
        for (_, cluster) in clusters(text) {
            let invisible = cluster.width() == 0 || cluster.chars().any(char::is_control);
            let cluster = match invisible {
                true if self.unicode => "·",
                true => "?",
                false => cluster,
            };
            let wide = u16::try_from(width(cluster)).unwrap_or(u16::MAX);
            if self.x.saturating_add(wide) > self.area.right() {
                self.x = self.area.right();
                return;
            }
            self.buffer.set_stringn(self.x, self.area.y, cluster, usize::from(wide), style);
            self.x += wide;
        }
    }
}
