//! How panels put text into cells.

use crate::layout::{clip, grapheme_width, width};
use crate::theme::Theme;
use attache_view::{Line, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::symbols::border;
use ratatui::widgets::{Block, Clear, Widget as _};
use unicode_segmentation::UnicodeSegmentation as _;

/// Puts text at a position, up to the column `end`. Returns the column after the text.
pub(crate) fn put(buffer: &mut Buffer, x: u16, y: u16, end: u16, text: &str, style: Style) -> u16 {
    if x >= end || !buffer.area.contains((x, y).into()) {
        return x;
    }
    buffer.set_stringn(x, y, text, usize::from(end - x), style).0
}

/// The most bytes of a text that [`wrap`] breaks into lines, because it runs for each frame.
const WRAPPED: usize = 64 * 1024;

/// Returns the beginning of a text that has at most this many bytes.
pub(crate) fn beginning(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// Cuts a text to this many columns, with an ellipsis.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    // No visible text needs more bytes. Marks without a width could fill any number of them.
    let bounded = beginning(text, columns.saturating_mul(32).saturating_add(64));
    if bounded.len() == text.len() && clip(text, columns).len() == text.len() {
        return text.to_owned();
    }
    let kept = clip(bounded, columns.saturating_sub(1));
    format!("{kept}{}", if columns > 0 { "…" } else { "" })
}

/// Returns the longest end of a text that is not wider than `columns`.
pub(crate) fn end_of(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (at, grapheme) in text.grapheme_indices(true).rev() {
        used += grapheme_width(grapheme);
        if used > columns {
            return text.get(at + grapheme.len()..).unwrap_or_default();
        }
    }
    text
}

/// Breaks a text into lines of at most this many columns, at spaces where possible. A text over
/// 64 KiB loses its end and gets an ellipsis.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines = Vec::new();
    let shown = beginning(text, WRAPPED);
    for paragraph in shown.split('\n') {
        let mut line = String::new();
        let mut used = 0;
        for word in paragraph.split_inclusive(' ') {
            if !line.is_empty() && used + width(word.trim_end()) > columns {
                lines.push(line.trim_end().to_owned());
                line.clear();
                used = 0;
            }
            for grapheme in word.graphemes(true) {
                let width = grapheme_width(grapheme);
                if grapheme != " " && used + width > columns && !line.is_empty() {
                    lines.push(std::mem::take(&mut line));
                    used = 0;
                }
                line.push_str(grapheme);
                used += width;
            }
        }
        lines.push(line.trim_end().to_owned());
    }
    if shown.len() < text.len() {
        lines.push("…".to_owned());
    }
    lines
}

/// Draws lines from the top of the area.
pub(crate) fn put_lines(lines: &[Line], area: Rect, buffer: &mut Buffer, theme: &Theme) {
    for (line, y) in lines.iter().zip(area.y..area.bottom()) {
        let mut x = area.x;
        for span in &line.spans {
            x = put(buffer, x, y, area.right(), &span.text, theme.style(&span.style));
        }
    }
}

/// Draws how many lines are above and below.
pub(crate) fn put_more(above: usize, below: usize, area: Rect, buffer: &mut Buffer, theme: &Theme) {
    let glyphs = theme.glyphs();
    let text = match (above, below) {
        (0, 0) => return,
        (0, below) => format!(" {} {below} more lines ", glyphs.down),
        (above, 0) => format!(" {} {above} more lines ", glyphs.up),
        (above, below) => format!(" {} {above}  {} {below} more lines ", glyphs.up, glyphs.down),
    };
    let x = area.right().saturating_sub(width(&text) as u16).max(area.x);
    let y = area.bottom().saturating_sub(1);
    put(buffer, x, y, area.right(), &text, theme.role(Role::Warning));
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
        let columns = width(key) + width(does) + 3;
        if usize::from(x) + columns > usize::from(end) {
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
    // A few columns of the conversation beside a panel would only look broken.
    let width = match area.width {
        0..=136 => area.width,
        _ => 120,
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
        assert_eq!((end_of("漢字ab", 4), end_of("abc", 3), end_of("abc", 0)), ("字ab", "abc", ""));
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("abcdefghij kl", 4), ["abcd", "efgh", "ij", "kl"]);
        assert_eq!(wrap("漢字漢字\n", 4), ["漢字", "漢字", ""]);
    }

    #[test]
    fn marks_without_a_width_are_cut_and_wrapped_in_little_time() {
        let marks = format!("a{}", "\u{301}".repeat(500_000));
        let begun = std::time::Instant::now();
        assert!(cut(&marks, 20).len() < 1000);
        assert_eq!(cut(&"x".repeat(1_000_000), 3), "xx…");
        let wrapped = wrap(&marks, 20);
        assert!(wrapped.iter().map(String::len).sum::<usize>() <= WRAPPED + 3);
        assert_eq!(wrapped.last().map(String::as_str), Some("…"));
        assert!(begun.elapsed() < std::time::Duration::from_secs(5));
    }
}
