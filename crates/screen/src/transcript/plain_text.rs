//! The text of rows for the clipboard.

use crate::layout::{RowOptions, segments};
use crate::theme::Glyphs;
use attache_view::{Block, Line as ViewLine, Marker, Output, Row, RowContent, ToolCallRow};
use std::fmt::Write as _;
use std::sync::Arc;

/// Returns the text of a row: messages as Markdown, other rows as lines.
pub(super) fn row_text(row: &Arc<Row>) -> String {
    let text = match &row.content {
        RowContent::Prompt { blocks }
        | RowContent::Answer { blocks }
        | RowContent::Thought { blocks } => markdown(blocks),
        RowContent::Notice(notice) => markdown(&notice.blocks),
        _ => {
            let mut text = String::new();
            let options = RowOptions { folded: false, now: None };
            for segment in segments(row, &Glyphs::UNICODE, options) {
                segment.visit_lines(&mut |line| {
                    text.push_str(&line.text());
                    text.push('\n');
                });
            }
            text
        }
    };
    text.trim_end().to_owned()
}

/// Returns the code blocks of a row. Parts of one long block are joined.
pub(super) fn code_blocks(row: &Row) -> Vec<String> {
    let mut found = Vec::new();
    match &row.content {
        RowContent::Prompt { blocks }
        | RowContent::Answer { blocks }
        | RowContent::Thought { blocks } => collect_code(blocks, &mut found),
        RowContent::Notice(notice) => collect_code(&notice.blocks, &mut found),
        RowContent::ToolCall(call) => {
            for output in &call.outputs {
                if let Output::Text { blocks } = output {
                    collect_code(blocks, &mut found);
                }
            }
        }
        _ => {}
    }
    found
}

fn collect_code(blocks: &[Arc<Block>], found: &mut Vec<String>) {
    for block in blocks {
        match block.as_ref() {
            Block::Code(code) => {
                let text = lines_text(&code.lines);
                match found.last_mut().filter(|_| code.continued) {
                    Some(last) => last.push_str(&text),
                    None => found.push(text),
                }
            }
            Block::Item(item) => collect_code(&item.blocks, found),
            Block::Quote { blocks } => collect_code(blocks, found),
            _ => {}
        }
    }
}

/// Returns the command of a tool call: the command line of its terminal, or else its effect if the
/// call executes something.
pub(super) fn command(row: &Row) -> Option<String> {
    let RowContent::ToolCall(call) = &row.content else { return None };
    let terminal = call.outputs.iter().find_map(|output| match output {
        Output::Terminal { command, .. } if !command.is_empty() => Some(command.text()),
        _ => None,
    });
    terminal.or_else(|| effect(call))
}

fn effect(call: &ToolCallRow) -> Option<String> {
    let executes = call.kind == "execute" && !call.effect.is_empty();
    let lines: Vec<String> = call.effect.iter().map(ViewLine::text).collect();
    executes.then(|| lines.join("\n"))
}

fn lines_text(lines: &[ViewLine]) -> String {
    lines.iter().map(|line| line.text() + "\n").collect()
}

/// Returns blocks as Markdown. Styles inside of lines are lost.
fn markdown(blocks: &[Arc<Block>]) -> String {
    let mut text = String::new();
    let mut close = false;
    for (index, block) in blocks.iter().enumerate() {
        let continues = match block.as_ref() {
            Block::Item(_) => close,
            Block::Code(code) => code.continued,
            _ => false,
        };
        if index > 0 && !continues {
            text.push('\n');
        }
        let next = blocks.get(index + 1).map(Arc::as_ref);
        write_block(block, next, &mut text);
        close = matches!(block.as_ref(), Block::Item(_));
    }
    text
}

fn write_block(block: &Block, next: Option<&Block>, text: &mut String) {
    match block {
        Block::Paragraph { lines } => text.push_str(&lines_text(lines)),
        Block::Heading { level, line } => {
            let hashes = "#".repeat(usize::from(*level));
            let _ = writeln!(text, "{hashes} {}", line.text());
        }
        Block::Item(item) => {
            let mark = match item.marker {
                Marker::Bullet => "- ".to_owned(),
                Marker::Number(number) => format!("{number}. "),
                Marker::Task(true) => "- [x] ".to_owned(),
                Marker::Task(false) => "- [ ] ".to_owned(),
                Marker::Continued => "  ".to_owned(),
            };
            let outer = "  ".repeat(usize::from(item.depth));
            let inner = " ".repeat(mark.len());
            for (index, line) in markdown(&item.blocks).lines().enumerate() {
                let mark = if index == 0 { &mark } else { &inner };
                let _ = writeln!(text, "{outer}{mark}{line}");
            }
        }
        Block::Code(code) => {
            if !code.continued {
                let _ = writeln!(text, "```{}", code.language);
            }
            text.push_str(&lines_text(&code.lines));
            if !matches!(next, Some(Block::Code(next)) if next.continued) {
                text.push_str("```\n");
            }
        }
        Block::Table(table) => {
            write_table_row(&table.header, text);
            let line: String = table.header.iter().map(|_| " --- |").collect();
            let _ = writeln!(text, "|{line}");
            table.rows.iter().for_each(|row| write_table_row(row, text));
        }
        Block::Quote { blocks } => {
            for line in markdown(blocks).lines() {
                let _ = writeln!(text, "> {line}");
            }
        }
        Block::Rule => text.push_str("---\n"),
        Block::Attachment { line } => {
            let _ = writeln!(text, "[{}]", line.text());
        }
        _ => {}
    }
}

fn write_table_row(cells: &[ViewLine], text: &mut String) {
    let cells: Vec<String> = cells.iter().map(|cell| cell.text().replace('|', "\\|")).collect();
    let _ = writeln!(text, "| {} |", cells.join(" | "));
}
