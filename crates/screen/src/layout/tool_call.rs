//! The segments of a tool call.

use super::file_diff::write_diff;
use super::row_writer::{RowWriter, line_count, lines_word};
use super::segment::{Lead, Source, Tone};
use attache_view::{CallStatus, Line as ViewLine, Output, Role, Row, Span, ToolCallRow};
use std::sync::Arc;

/// The lines of output that a folded tool call shows.
const PREVIEW: usize = 6;

/// The lines of output that are laid out at once.
const CHUNK: usize = 64;

/// Calls that took less time, in milliseconds, do not show it.
const SHORT: i64 = 100;

/// Adds the segments of a tool call.
pub(super) fn write_tool_call(writer: &mut RowWriter<'_>, row: &Arc<Row>, call: &ToolCallRow) {
    let failed = call.status == CallStatus::Failed;
    let hides_output = writer.options.folded && call.quiet && !failed;
    let hidden = if hides_output { call.outputs.iter().map(output_lines).sum() } else { 0 };
    write_header(writer, row, call, hidden);
    if !call.effect.is_empty() {
        writer.push(Lead::Indent, Tone::Plain, Source::Lines(call.effect.clone()));
    }
    if !call.places.is_empty() {
        writer.push(Lead::Indent, Tone::Quiet, Source::Lines(vec![joined(&call.places)]));
    }
    if hides_output {
        return;
    }
    for (index, output) in call.outputs.iter().enumerate() {
        match output {
            Output::Text { blocks } => write_text(writer, blocks),
            Output::Diff(diff) => write_diff(writer, diff),
            Output::Terminal { command, lines, omitted, ended, .. } => {
                if call.effect.is_empty() && !command.is_empty() {
                    let mut line = ViewLine::of("$ ", Role::Muted);
                    line.spans.extend(command.spans.iter().cloned());
                    writer.push(Lead::Indent, Tone::Plain, Source::Lines(vec![line]));
                }
                write_terminal(writer, row, index, (lines.len(), *omitted));
                if !ended.is_empty() {
                    writer.push(Lead::Indent, Tone::Quiet, Source::Lines(vec![ended.clone()]));
                }
            }
            _ => {}
        }
    }
}

/// Adds the line with the mark, the kind, the title, the status and the duration.
fn write_header(writer: &mut RowWriter<'_>, row: &Row, call: &ToolCallRow, hidden: usize) {
    let (role, word) = match call.status {
        CallStatus::Pending => (Role::Muted, "waiting"),
        CallStatus::Asking => (Role::Warning, "asks for permission"),
        CallStatus::Running => (Role::Running, ""),
        CallStatus::Paused => (Role::Warning, "paused"),
        CallStatus::Completed => (Role::Success, ""),
        CallStatus::Failed => (Role::Error, "failed"),
        CallStatus::Cancelled => (Role::Muted, "cancelled"),
    };
    let mut line = ViewLine::default();
    if !call.kind.is_empty() {
        line.spans.push(Span::new(call.kind.clone(), Role::Name));
        line.spans.push(Span::new("  ", Role::Text));
    }
    line.spans.extend(call.title.spans.iter().cloned());
    let separator = writer.glyphs.separator;
    let mut add = |text: String, role| {
        line.spans.push(Span::new(format!(" {separator} "), Role::Muted));
        line.spans.push(Span::new(text, role));
    };
    if !word.is_empty() {
        add(word.to_owned(), role);
    }
    let running = matches!(call.status, CallStatus::Running | CallStatus::Paused);
    let end = call.ended_at.or(if running { writer.options.now } else { None });
    if let Some(took) = end.map(|end| end.saturating_sub(row.at)).filter(|took| *took >= SHORT) {
        add(duration(took), Role::Muted);
    } else if running && writer.options.now.is_none() {
        add("running".to_owned(), role);
    }
    if hidden > 0 {
        let mark = writer.glyphs.folded;
        add(format!("{mark} {hidden} {}", lines_word(hidden)), Role::Muted);
    }
    writer.header(Lead::Mark(writer.glyphs.call(call.status), role), Tone::Plain, line);
}

/// Returns a duration in words, such as `2.3 s` or `1 h 5 min`.
///
/// Durations below ten seconds have tenths.
pub fn duration(milliseconds: i64) -> String {
    let milliseconds = milliseconds.max(0);
    let seconds = milliseconds / 1000;
    match seconds {
        0..10 => format!("{seconds}.{} s", milliseconds % 1000 / 100),
        10..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

fn joined(lines: &[ViewLine]) -> ViewLine {
    let mut whole = ViewLine::default();
    for line in lines {
        if !whole.is_empty() {
            whole.spans.push(Span::new(", ", Role::Muted));
        }
        whole.spans.extend(line.spans.iter().cloned());
    }
    whole
}

fn output_lines(output: &Output) -> usize {
    match output {
        Output::Text { blocks } => blocks.iter().map(|block| line_count(block)).sum(),
        Output::Diff(diff) => diff.files.iter().map(|file| file.added + file.removed).sum(),
        Output::Terminal { lines, omitted, .. } => lines.len() + omitted,
        _ => 0,
    }
}

/// Adds text; the first blocks of it if the row is folded.
fn write_text(writer: &mut RowWriter<'_>, blocks: &[Arc<attache_view::Block>]) {
    if !writer.options.folded {
        return writer.blocks(Lead::Bar, Tone::Plain, blocks);
    }
    let mut shown = 0;
    let mut count = 0;
    while let Some(block) = blocks.get(shown) {
        let lines = line_count(block);
        if count + lines > PREVIEW {
            break;
        }
        (count, shown) = (count + lines, shown + 1);
    }
    let (before, rest) = blocks.split_at(shown);
    writer.blocks(Lead::Bar, Tone::Plain, before);
    let mut hidden: usize = rest.iter().map(|block| line_count(block)).sum();
    // The first block that does not fit is shown in part.
    let (room, part) = (PREVIEW - count, rest.first().and_then(|block| lines_of(block)));
    if let Some(lines) = part.and_then(|lines| lines.get(..room)).filter(|lines| !lines.is_empty())
    {
        hidden -= lines.len();
        writer.push(Lead::Bar, Tone::Plain, Source::Lines(lines.to_vec()));
    }
    writer.hidden(Lead::Bar, hidden);
}

fn lines_of(block: &attache_view::Block) -> Option<&[ViewLine]> {
    match block {
        attache_view::Block::Paragraph { lines } => Some(lines),
        attache_view::Block::Code(code) => Some(&code.lines),
        _ => None,
    }
}

/// Adds the output of a command; its last lines if the row is folded. `count` has the lines that
/// the row holds, and those before them.
fn write_terminal(
    writer: &mut RowWriter<'_>,
    row: &Arc<Row>,
    output: usize,
    (held, omitted): (usize, usize),
) {
    let first = if writer.options.folded { held.saturating_sub(PREVIEW) } else { 0 };
    let before = first + omitted;
    if before > 0 {
        let text = format!("{} {before} earlier {}", writer.glyphs.folded, lines_word(before));
        writer.header(Lead::Bar, Tone::Plain, ViewLine::of(text, Role::Muted));
    }
    for start in (first..held).step_by(CHUNK) {
        let range = start..held.min(start + CHUNK);
        writer.push(Lead::Bar, Tone::Plain, Source::Terminal(Arc::clone(row), output, range));
    }
}
