//! How panels put text into cells.

use crate::theme::Theme;
use attache_view::Role;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::symbols::border;
use ratatui::widgets::{Block, Clear, Widget as _};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The number of columns of a text.
pub(crate) fn text_width(text: &str) -> usize {
    text.width()
}

/// Puts text at a position, up to the column `end`. Returns the column after the text.
pub(crate) fn put(buffer: &mut Buffer, x: u16, y: u16, end: u16, text: &str, style: Style) -> u16 {
    if x >= end || !buffer.area.contains((x, y).into()) {
        return x;
    }
    buffer.set_stringn(x, y, text, usize::from(end - x), style).0
}

/// Cuts a text to this many columns, with an ellipsis.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if text_width(text) <= columns {
        return text.to_owned();
    }
    let mut kept = String::new();
    for c in text.chars() {
        kept.push(c);
        if text_width(&kept) + 1 > columns {
            kept.pop();
            break;
        }
    }
    if columns > 0 {
        kept.push('…');
    }
    kept
}

/// Breaks a text into lines of at most this many columns, at spaces where possible.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        let mut line = String::new();
        for word in paragraph.split_inclusive(' ') {
            let bare = word.trim_end();
            if !line.is_empty() && text_width(&line) + text_width(bare) > columns {
                lines.push(line.trim_end().to_owned());
                line.clear();
            }
            for c in word.chars() {
                if c != ' ' && text_width(&line) + c.width().unwrap_or(0) > columns {
                    lines.push(std::mem::take(&mut line));
                }
                line.push(c);
            }
        }
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// Draws a frame with a title and the keys that work, clears what is below, and returns the inside.
pub(crate) fn framed(
    area: Rect,
    buffer: &mut Buffer,
    theme: &Theme,
    title: &str,
    keys: &[(&str, &str)],
) -> Rect {
    Clear.render(area, buffer);
    let glyphs = theme.glyphs();
    let [top_left, top_right, bottom_left, bottom_right] = glyphs.corners;
    let lines = border::Set {
        top_left,
        top_right,
        bottom_left,
        bottom_right,
        vertical_left: glyphs.vertical,
        vertical_right: glyphs.vertical,
        horizontal_top: glyphs.horizontal,
        horizontal_bottom: glyphs.horizontal,
    };
    let block = Block::bordered().border_set(lines).border_style(theme.role(Role::Muted));
    let inside = block.inner(area);
    block.render(area, buffer);
    let end = area.right().saturating_sub(1);
    let title = format!(" {} ", cut(title, usize::from(area.width).saturating_sub(6)));
    let heading = theme.role(Role::Heading).add_modifier(Modifier::BOLD);
    put(buffer, area.x + 2, area.y, end, &title, heading);
    let y = area.bottom().saturating_sub(1);
    put_keys(buffer, area.x + 2, y, end.saturating_sub(1), keys, theme);
    inside
}

/// Puts keys and what they do on one line; those that do not fit are left out.
pub(crate) fn put_keys(
    buffer: &mut Buffer,
    x: u16,
    y: u16,
    end: u16,
    keys: &[(&str, &str)],
    theme: &Theme,
) -> u16 {
    let mut x = x;
    for (key, does) in keys {
        let width = text_width(key) + text_width(does) + 3;
        if usize::from(x) + width > usize::from(end) {
            break;
        }
        x = put(buffer, x, y, end, " ", theme.role(Role::Text));
        x = put(buffer, x, y, end, key, theme.role(Role::Name).add_modifier(Modifier::BOLD));
        x = put(buffer, x, y, end, " ", theme.role(Role::Text));
        x = put(buffer, x, y, end, does, theme.role(Role::Muted));
        x = put(buffer, x, y, end, " ", theme.role(Role::Text));
    }
    x
}

/// Returns the area of a panel of this height in the middle of `area`.
pub(crate) fn middle(area: Rect, height: u16) -> Rect {
    let width = match area.width {
        0..=108 => area.width,
        wide => (wide - 8).min(120),
    };
    let height = height.saturating_add(2).min(area.height);
    Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_and_wrapped_by_columns() {
        assert_eq!(cut("漢字漢字", 5), "漢字…");
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("abcdefghij kl", 4), ["abcd", "efgh", "ij", "kl"]);
        assert_eq!(wrap("漢字漢字\n", 4), ["漢字", "漢字", ""]);
    }
}
