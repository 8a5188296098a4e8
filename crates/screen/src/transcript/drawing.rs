//! Where the lines of a transcript are on the screen, and how they become cells.

use super::row_list::{Position, RowList};
use super::search::Search;
use crate::layout::{DrawnLine, width};
use crate::theme::{Element, Theme};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::ops::Range;

/// The columns beside the text: the mark of the selected row, and the place in the conversation.
pub(super) const SIDES: u16 = 2;

/// What was drawn last.
#[derive(Debug, Default)]
pub(super) struct Frame {
    pub(super) height: usize,
    area: Rect,
    /// The position that each line of the area shows.
    lines: Vec<Position>,
    hint: Option<Rect>,
}

impl Frame {
    /// Returns the visible rows.
    pub(super) fn rows(&self) -> Range<usize> {
        match (self.lines.first(), self.lines.last()) {
            (Some(first), Some(last)) => first.row..last.row + 1,
            _ => 0..0,
        }
    }

    /// Returns the position at a place of the screen, and the column in its line.
    pub(super) fn hit(&self, column: u16, line: u16) -> Option<(Position, usize)> {
        if !self.area.contains((column, line).into()) {
            return None;
        }
        let position = self.lines.get(usize::from(line - self.area.y))?;
        Some((*position, usize::from((column - self.area.x).saturating_sub(1))))
    }

    /// Whether the hint at the bottom is at a place of the screen.
    pub(super) fn is_hint(&self, column: u16, line: u16) -> bool {
        self.hint.is_some_and(|hint| hint.contains((column, line).into()))
    }
}

/// What to draw besides the lines.
#[derive(Debug)]
pub(super) struct Marks<'a> {
    pub(super) selected: Option<usize>,
    pub(super) search: Option<&'a Search>,
    /// The text at the bottom, if something was added below.
    pub(super) hint: Option<String>,
    /// Whether the end is shown.
    pub(super) at_end: bool,
}

/// Draws the lines from `top` on. Returns where they are.
pub(super) fn draw(
    rows: &mut RowList,
    top: Position,
    marks: &Marks<'_>,
    area: Rect,
    buffer: &mut Buffer,
    theme: &Theme,
) -> Frame {
    let area = area.intersection(buffer.area);
    let height = usize::from(area.height);
    let mut frame = Frame { height, area, ..Frame::default() };
    let mut place = Some(top).filter(|_| rows.len() > 0);
    let mut y = area.y;
    while let Some(position) = place.filter(|_| y < area.bottom()) {
        let count = rows.lines(position.row, position.segment).len();
        let highlights = highlights(rows, position, marks.search, theme);
        for line in position.line..count {
            if y >= area.bottom() {
                break;
            }
            let at = Position { line, ..position };
            let whole = Rect { y, height: 1, ..area };
            if let Some(drawn) = rows.lines(at.row, at.segment).get(line) {
                draw_line(drawn, line, &highlights, whole, buffer);
            }
            if marks.selected == Some(at.row) && !is_last_segment(rows, at) {
                let style = theme.element(Element::FocusedBorder);
                buffer.set_stringn(area.x, y, theme.glyphs().selected, 1, style);
            }
            frame.lines.push(at);
            y += 1;
        }
        place =
            rows.segment_after(position).map(|(row, segment)| Position { row, segment, line: 0 });
    }
    rows.note_heights(frame.rows());
    draw_scroll_bar(rows, top, marks.at_end, area, buffer, theme);
    if let Some(hint) = &marks.hint {
        frame.hint = draw_hint(hint, area, buffer, theme);
    }
    frame
}

/// Whether the position is the empty line behind a row.
fn is_last_segment(rows: &mut RowList, position: Position) -> bool {
    position.segment + 1 == rows.segments(position.row).len()
}

/// A part of a line with a style of its own.
struct Highlight {
    line: usize,
    bytes: Range<usize>,
    style: ratatui::style::Style,
}

fn highlights(
    rows: &mut RowList,
    position: Position,
    search: Option<&Search>,
    theme: &Theme,
) -> Vec<Highlight> {
    let Some(search) = search else { return Vec::new() };
    let Some((slot, ..)) = rows.slot(position.row, position.segment) else { return Vec::new() };
    let matches = slot.matches(&search.pattern, search.generation);
    let first = matches.partition_point(|found| found.line < position.line);
    let mut highlights = Vec::new();
    for found in matches.iter().skip(first) {
        let current = search.shown == Some((position.row, position.segment, found.number));
        let element = if current { Element::CurrentMatch } else { Element::Match };
        let (bytes, style) = (found.bytes.clone(), theme.element(element));
        highlights.push(Highlight { line: found.line, bytes, style });
    }
    highlights
}

fn draw_line(
    drawn: &DrawnLine,
    line: usize,
    highlights: &[Highlight],
    area: Rect,
    buffer: &mut Buffer,
) {
    let (x, columns) = (area.x + 1, area.width.saturating_sub(SIDES));
    if columns == 0 {
        return;
    }
    buffer.set_style(Rect { x, width: columns, ..area }, drawn.line.style);
    buffer.set_line(x, area.y, &drawn.line, columns);
    let first = highlights.partition_point(|highlight| highlight.line < line);
    let on_line = highlights.iter().skip(first).take_while(|highlight| highlight.line == line);
    for highlight in on_line {
        let text = drawn.text();
        let margin = drawn.line.spans.iter().take(drawn.margin);
        let margin: usize = margin.map(|span| width(&span.content)).sum();
        let start = margin + text.get(..highlight.bytes.start).map_or(0, width);
        let wide = text.get(highlight.bytes.clone()).map_or(0, width);
        let start = u16::try_from(start).unwrap_or(u16::MAX).min(columns);
        let wide = u16::try_from(wide).unwrap_or(u16::MAX).min(columns - start);
        buffer.set_style(Rect { x: x + start, width: wide, ..area }, highlight.style);
    }
}

fn draw_scroll_bar(
    rows: &RowList,
    top: Position,
    at_end: bool,
    area: Rect,
    buffer: &mut Buffer,
    theme: &Theme,
) {
    let (before, total) = rows.estimate(top);
    let height = usize::from(area.height);
    let hidden = top > Position::default() || !at_end;
    if !hidden || total <= height || height == 0 || area.width <= SIDES {
        return;
    }
    let handle = (height * height / total).clamp(1, height);
    let free = height - handle;
    let offset = if at_end { free } else { (before * free / (total - height)).min(free) };
    let style = theme.element(Element::Border);
    for y in (offset..offset + handle).filter_map(|y| u16::try_from(y).ok()) {
        let glyph = theme.glyphs().scroll_handle;
        buffer.set_stringn(area.right() - 1, area.y + y, glyph, 1, style);
    }
}

fn draw_hint(hint: &str, area: Rect, buffer: &mut Buffer, theme: &Theme) -> Option<Rect> {
    let wide = u16::try_from(width(hint)).ok().filter(|wide| wide + SIDES <= area.width)?;
    let x = area.right() - 1 - wide;
    let y = area.bottom().checked_sub(1).filter(|y| *y >= area.y)?;
    buffer.set_stringn(x, y, hint, usize::from(wide), theme.element(Element::Chip));
    Some(Rect { x, y, width: wide, height: 1 })
}
