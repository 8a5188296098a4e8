//! The segments of a tool call.

use super::hunk::{HunkPart, digits};
use super::row_writer::{RowWriter, line_count, lines_word};
use super::segment::{Lead, Source, Tone};
use attache_view::{
    CallStatus, DiffRow, FileChange, FileDiff, HunkLine, Line as ViewLine, LineChange, Output,
    Role, Row, Span, ToolCallRow,
};
use std::sync::Arc;

/// The lines of output that a folded tool call shows.
const PREVIEW: usize = 6;

/// The lines of a diff that a folded tool call shows.
const DIFF_PREVIEW: usize = 24;

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

/// Adds the changes of files; the first lines of them if the row is folded.
pub(super) fn write_diff(writer: &mut RowWriter<'_>, diff: &DiffRow) {
    let mut left = if writer.options.folded { DIFF_PREVIEW } else { usize::MAX };
    let mut hidden = 0;
    for file in &diff.files {
        let line = file_header(writer, file);
        writer.push(Lead::Indent, Tone::Plain, Source::Lines(vec![line]));
        let digits = digits(file);
        for (index, hunk) in file.hunks.iter().enumerate() {
            let shown = left.min(hunk.lines.len());
            hidden += hunk.lines.len() - shown;
            left -= shown;
            if index > 0 && shown > 0 {
                let gap = ViewLine::of(writer.glyphs.ellipsis, Role::Muted);
                writer.push(Lead::Indent, Tone::Plain, Source::Lines(vec![gap]));
            }
            write_hunk_parts(writer, file, (index, shown), digits);
        }
        if let Some(note) = &file.note {
            writer.push(Lead::Indent, Tone::Quiet, Source::Lines(vec![note.clone()]));
        }
    }
    writer.hidden(Lead::Indent, hidden);
}

/// Returns the line with the path, what happened, and the counts.
fn file_header(writer: &RowWriter<'_>, file: &FileDiff) -> ViewLine {
    let mut line = ViewLine::default();
    if let Some(from) = &file.from {
        line.spans.extend(from.spans.iter().cloned());
        line.spans.push(Span::new(format!(" {} ", writer.glyphs.arrow), Role::Muted));
    }
    line.spans.extend(file.path.spans.iter().cloned());
    let word = match file.change {
        FileChange::Created => " (new)",
        FileChange::Changed => "",
        FileChange::Deleted => " (deleted)",
        FileChange::Renamed => " (renamed)",
        FileChange::Copied => " (copied)",
    };
    line.spans.push(Span::new(word, Role::Muted));
    if file.added > 0 {
        line.spans.push(Span::new(format!(" +{}", file.added), Role::Added));
    }
    if file.removed > 0 {
        let minus = writer.glyphs.minus;
        line.spans.push(Span::new(format!(" {minus}{}", file.removed), Role::Removed));
    }
    line
}

/// Adds the first `shown` lines of a hunk in parts. A part does not begin between removed lines
/// and the added lines that replace them, unless the part would become very long.
fn write_hunk_parts(
    writer: &mut RowWriter<'_>,
    file: &Arc<FileDiff>,
    (hunk, shown): (usize, usize),
    digits: usize,
) {
    let Some(source) = file.hunks.get(hunk) else { return };
    let lines = source.lines.get(..shown).unwrap_or_default();
    let mut start = (source.old_start, source.new_start);
    let mut rest = 0..0;
    while rest.end < lines.len() {
        rest = rest.end..part_end(lines, rest.end);
        let part = lines.get(rest.clone()).unwrap_or_default();
        writer.push(
            Lead::Indent,
            Tone::Plain,
            Source::Hunk(HunkPart {
                file: Arc::clone(file),
                hunk,
                lines: rest.clone(),
                start,
                digits,
            }),
        );
        start.0 += part.iter().filter(|line| line.change != LineChange::Added).count();
        start.1 += part.iter().filter(|line| line.change != LineChange::Removed).count();
    }
}

fn part_end(lines: &[HunkLine], start: usize) -> usize {
    let earliest = start + CHUNK;
    let latest = lines.len().min(start + CHUNK * 32);
    let same = |at: &usize| lines.get(*at).is_some_and(|line| line.change == LineChange::Same);
    (earliest..latest).find(same).unwrap_or(latest)
}
