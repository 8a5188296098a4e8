//! The layout of tables.

use super::canvas::{Canvas, Margin};
use super::styled_text::StyledText;
use super::styled_text::width;
use super::wrap::{Part, widest_word, wrap};
use crate::theme::Element;
use attache_view::{Alignment, Line as ViewLine, Role, Table};
use ratatui::style::Modifier;
use ratatui::text::Span;

/// The fewest columns of a cell. With less room, each row becomes a list.
const CELL: usize = 4;

/// The columns between two cells.
const GAP: usize = 3;

/// Writes a table. Columns that do not fit the width shrink and their cells wrap. If even short
/// cells do not fit, each row becomes a list of its cells.
pub(super) fn write_table(canvas: &mut Canvas<'_>, table: &Table, margin: &mut Margin) {
    let bold = canvas.base.add_modifier(Modifier::BOLD);
    let header = cells(canvas, &table.header, bold);
    let base = canvas.base;
    let rows: Vec<Vec<StyledText>> =
        table.rows.iter().map(|row| cells(canvas, row, base)).collect();
    let count = rows.iter().map(Vec::len).chain([header.len()]).max().unwrap_or(0);
    let Some(widths) = column_widths(&header, &rows, count, canvas.room(margin)) else {
        return write_records(canvas, table, margin);
    };
    let alignment = |index: usize| table.alignments.get(index).copied().unwrap_or_default();
    let alignments: Vec<Alignment> = (0..count).map(alignment).collect();
    if !header.is_empty() {
        write_row(canvas, &header, &widths, &alignments, margin);
        let glyphs = *canvas.theme.glyphs();
        let line: Vec<String> = widths.iter().map(|wide| glyphs.horizontal.repeat(*wide)).collect();
        let crossing = [glyphs.horizontal, glyphs.cross, glyphs.horizontal].concat();
        let style = canvas.theme.element(Element::Border);
        canvas.line(vec![Span::styled(line.join(&crossing), style)], margin);
    }
    for row in &rows {
        write_row(canvas, row, &widths, &alignments, margin);
    }
}

fn cells(canvas: &Canvas<'_>, row: &[ViewLine], base: ratatui::style::Style) -> Vec<StyledText> {
    row.iter().map(|cell| StyledText::of(cell, canvas.theme, base)).collect()
}

/// Returns the width of each column, or `None` if the columns do not fit.
fn column_widths(
    header: &[StyledText],
    rows: &[Vec<StyledText>],
    count: usize,
    room: usize,
) -> Option<Vec<usize>> {
    let room = room.checked_sub(count.saturating_sub(1) * GAP)?;
    let (mut natural, mut words) = (vec![1; count], vec![1; count]);
    for row in rows.iter().map(Vec::as_slice).chain([header]) {
        for ((natural, word), cell) in natural.iter_mut().zip(&mut words).zip(row) {
            *natural = (*natural).max(width(cell.text()));
            *word = (*word).max(widest_word(cell.text()));
        }
    }
    if natural.iter().sum::<usize>() <= room {
        return Some(natural);
    }
    // Words stay whole where they can: a column first shrinks to its widest word.
    let floors: Vec<usize> = words.iter().map(|word| (*word).min(room / count.max(1))).collect();
    let floors = if floors.iter().sum::<usize>() <= room { floors } else { vec![CELL; count] };
    let smallest: usize = natural.iter().map(|wide| (*wide).min(CELL)).sum();
    if smallest > room {
        return None;
    }
    Some(shrink(&natural, &floors, room))
}

/// Limits the widest columns to the largest width with which all fit, but not below their floors.
fn shrink(natural: &[usize], floors: &[usize], room: usize) -> Vec<usize> {
    let limited = |limit: usize| -> Vec<usize> {
        let both = natural.iter().zip(floors);
        both.map(|(wide, floor)| (*wide).min(limit.max(*floor)).max(1)).collect()
    };
    let fits = |limit: &usize| limited(*limit).iter().sum::<usize>() <= room;
    match (1..=room).rev().find(fits) {
        Some(limit) => limited(limit),
        None => natural.iter().map(|wide| (*wide).min(CELL)).collect(),
    }
}

fn write_row(
    canvas: &mut Canvas<'_>,
    row: &[StyledText],
    widths: &[usize],
    alignments: &[Alignment],
    margin: &mut Margin,
) {
    let empty = StyledText::default();
    let cells: Vec<&StyledText> = (0..widths.len()).map(|i| row.get(i).unwrap_or(&empty)).collect();
    let wrapped: Vec<Vec<Part>> =
        cells.iter().zip(widths).map(|(cell, wide)| wrap(cell.text(), *wide)).collect();
    let height = wrapped.iter().map(Vec::len).max().unwrap_or(1);
    let border = canvas.theme.element(Element::Border);
    for line in 0..height {
        let mut spans = Vec::new();
        for (index, (cell, wide)) in cells.iter().zip(widths).enumerate() {
            if index > 0 {
                let bar = format!(" {} ", canvas.theme.glyphs().vertical);
                spans.push(Span::styled(bar, border));
            }
            let part = wrapped.get(index).and_then(|parts| parts.get(line));
            let used = part.map_or(0, |part| part.width.min(*wide));
            let free = wide - used;
            let before = match alignments.get(index).copied().unwrap_or_default() {
                Alignment::Left => 0,
                Alignment::Center => free / 2,
                Alignment::Right => free,
            };
            spans.push(Span::raw(" ".repeat(before)));
            if let Some(part) = part {
                canvas.slice(cell, part, *wide, &mut spans);
            }
            if index + 1 < widths.len() {
                spans.push(Span::raw(" ".repeat(free - before)));
            }
        }
        canvas.line(spans, margin);
    }
}

/// Writes each row as lines of `header: cell`.
fn write_records(canvas: &mut Canvas<'_>, table: &Table, margin: &mut Margin) {
    let unnamed = ViewLine::default();
    for (index, row) in table.rows.iter().enumerate() {
        if index > 0 {
            canvas.blank(margin);
        }
        for (column, cell) in row.iter().enumerate() {
            let mut line = table.header.get(column).unwrap_or(&unnamed).clone();
            if !line.is_empty() {
                line.spans.iter_mut().for_each(|span| span.style.strong = true);
                line.spans.extend(ViewLine::of(": ", Role::Muted).spans);
            }
            line.spans.extend(cell.spans.iter().cloned());
            let text = StyledText::of(&line, canvas.theme, canvas.base);
            canvas.text(&text, margin);
        }
    }
    if table.rows.is_empty() {
        for cell in &table.header {
            let text = StyledText::of(cell, canvas.theme, canvas.base);
            canvas.text(&text, margin);
        }
    }
}
