//! The layout of the parts of a text.

use super::canvas::{Canvas, Margin};
use super::styled_text::{StyledText, width};
use super::table::write_table;
use crate::theme::{Element, Theme};
use attache_view::{Block, CodeBlock, Item, Line as ViewLine, Marker, Role, Span as ViewSpan};
use ratatui::style::{Modifier, Style};
use ratatui::text::Span;
use std::borrow::Cow;
use std::sync::Arc;

/// The deepest list that is indented further than the list around it.
const DEEPEST: u8 = 8;

/// Whether no empty line stands between these blocks.
pub(crate) fn are_close(before: &Block, after: &Block) -> bool {
    match (before, after) {
        (Block::Item(_), Block::Item(_)) => true,
        (_, Block::Code(code)) => code.continued,
        _ => false,
    }
}

/// Writes blocks with empty lines between them.
pub(crate) fn write_blocks(canvas: &mut Canvas<'_>, blocks: &[Arc<Block>], margin: &mut Margin) {
    let mut before: Option<&Arc<Block>> = None;
    for block in blocks {
        if before.is_some_and(|before| !are_close(before, block)) {
            canvas.blank(margin);
        }
        write_block(canvas, block, margin);
        before = Some(block);
    }
}

/// Writes one block.
pub(crate) fn write_block(canvas: &mut Canvas<'_>, block: &Block, margin: &mut Margin) {
    match block {
        Block::Paragraph { lines } => {
            let lines = with_code_marks(lines, canvas.theme);
            write_lines(canvas, &lines, margin);
        }
        Block::Heading { level, line } => write_heading(canvas, *level, line, margin),
        Block::Item(item) => write_item(canvas, item, margin),
        Block::Code(code) => write_code(canvas, code, margin),
        Block::Table(table) if canvas.theme.marks_code() => {
            let mut table = table.clone();
            for row in table.rows.iter_mut().chain([&mut table.header]) {
                *row = with_code_marks(row, canvas.theme).into_owned();
            }
            write_table(canvas, &table, margin);
        }
        Block::Table(table) => write_table(canvas, table, margin),
        Block::Quote { blocks } => {
            let bar = Span::styled("> ", canvas.gutter());
            let mut inner = margin.inside(bar.clone(), bar, canvas.columns);
            let base = canvas.base;
            canvas.base = base.patch(canvas.theme.element(Element::Quote));
            write_blocks(canvas, blocks, &mut inner);
            canvas.base = base;
        }
        Block::Rule => {
            let line = canvas.theme.glyphs().horizontal.repeat(canvas.room(margin));
            let style = canvas.theme.element(Element::Border);
            canvas.line(vec![Span::styled(line, style)], margin);
        }
        Block::Attachment { line } => {
            let mut bracketed = ViewLine::of("[", Role::Muted);
            bracketed.spans.extend(line.spans.iter().cloned());
            bracketed.spans.extend(ViewLine::of("]", Role::Muted).spans);
            write_lines(canvas, &[bracketed], margin);
        }
        // A block of a later version.
        _ => canvas.blank(margin),
    }
}

/// Returns lines with backticks around inline code, if the theme needs them.
pub(super) fn with_code_marks<'l>(lines: &'l [ViewLine], theme: &Theme) -> Cow<'l, [ViewLine]> {
    let is_code = |span: &ViewSpan| span.style.role == Role::Code;
    let has_code = |line: &ViewLine| line.spans.iter().any(is_code);
    if !theme.marks_code() || !lines.iter().any(has_code) {
        return Cow::Borrowed(lines);
    }
    let mut marked = lines.to_vec();
    for line in marked.iter_mut().filter(|line| has_code(line)) {
        let codes: Vec<bool> = line.spans.iter().map(is_code).collect();
        let at = |index: Option<usize>| index.and_then(|it| codes.get(it)).copied() == Some(true);
        for (index, span) in line.spans.iter_mut().enumerate().filter(|(it, _)| at(Some(*it))) {
            let before = if at(index.checked_sub(1)) { "" } else { "`" };
            let after = if at(Some(index + 1)) { "" } else { "`" };
            span.text = format!("{before}{}{after}", span.text);
        }
    }
    Cow::Owned(marked)
}

/// Writes lines of running text.
pub(crate) fn write_lines(canvas: &mut Canvas<'_>, lines: &[ViewLine], margin: &mut Margin) {
    for line in lines {
        let text = with_addresses(line, canvas.theme, canvas.base);
        canvas.text(&text, margin);
    }
}

/// Returns the text of a line. The address of a link follows its text, unless the text is the
/// address: a person sees where a link leads.
pub(super) fn with_addresses(line: &ViewLine, theme: &Theme, base: Style) -> StyledText {
    if line.spans.iter().all(|span| span.style.link.is_none()) {
        return StyledText::of(line, theme, base);
    }
    let mut shown = ViewLine::default();
    let mut spans = line.spans.iter().peekable();
    let mut text = String::new();
    while let Some(span) = spans.next() {
        shown.spans.push(span.clone());
        let Some(link) = &span.style.link else { continue };
        text.push_str(&span.text);
        if spans.peek().is_some_and(|next| next.style.link.as_ref() == Some(link)) {
            continue;
        }
        let address = link.strip_prefix("mailto:").unwrap_or(link);
        if address.trim_end_matches('/') != text.trim_end_matches('/') {
            shown.spans.extend(ViewLine::of(format!(" ({address})"), Role::Muted).spans);
        }
        text.clear();
    }
    StyledText::of(&shown, theme, base)
}

fn write_heading(canvas: &mut Canvas<'_>, level: u8, line: &ViewLine, margin: &mut Margin) {
    let style = canvas.theme.role(Role::Heading).add_modifier(Modifier::BOLD);
    let hashes = "#".repeat(usize::from(level.clamp(1, 6)));
    let mark = Span::styled(hashes + " ", canvas.gutter());
    let spaces = Span::raw(" ".repeat(width(&mark.content)));
    let mut inner = margin.inside(mark, spaces, canvas.columns);
    let base = canvas.base;
    canvas.base = base.patch(style);
    let line = with_code_marks(std::slice::from_ref(line), canvas.theme);
    write_lines(canvas, &line, &mut inner);
    canvas.base = base;
}

fn write_item(canvas: &mut Canvas<'_>, item: &Item, margin: &mut Margin) {
    let depth = item.depth.min(DEEPEST);
    let mut outer = margin.indented(usize::from(depth) * 2, canvas.columns);
    let mark = match item.marker {
        Marker::Bullet => format!("{} ", canvas.theme.glyphs().bullet(depth)),
        Marker::Number(number) => format!("{number}. "),
        Marker::Task(true) => "[x] ".to_owned(),
        Marker::Task(false) => "[ ] ".to_owned(),
        Marker::Continued => "  ".to_owned(),
    };
    let spaces = Span::raw(" ".repeat(width(&mark)));
    let mark = Span::styled(mark, canvas.theme.element(Element::Marker));
    let mut inner = outer.inside(mark, spaces, canvas.columns);
    if item.blocks.is_empty() {
        return canvas.blank(&mut inner);
    }
    for block in &item.blocks {
        write_block(canvas, block, &mut inner);
    }
}

fn write_code(canvas: &mut Canvas<'_>, code: &CodeBlock, margin: &mut Margin) {
    let bar = Span::styled(format!("{} ", canvas.theme.glyphs().vertical), canvas.gutter());
    let mut inner = margin.inside(bar.clone(), bar, canvas.columns);
    if !code.language.is_empty() && !code.continued {
        let label = StyledText::plain(&code.language, canvas.theme.role(Role::Muted));
        canvas.text(&label, &mut inner);
    }
    for line in &code.lines {
        let text = StyledText::of(line, canvas.theme, canvas.base);
        canvas.code(&text, &mut inner);
    }
}
