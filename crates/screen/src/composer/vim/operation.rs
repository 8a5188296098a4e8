//! What operators do with a part of the text.

use super::super::buffer::Buffer;
use super::super::grapheme;
use super::command::Operator;
use super::motion::first_letter;
use std::ops::Range;

/// The indentation that `>` adds.
const INDENT: &str = "    ";

/// The text that was deleted or copied last.
#[derive(Debug, Default, Clone)]
pub(in super::super) struct Register {
    pub(in super::super) text: String,
    pub(super) lines: bool,
}

/// Does an operation on a part of the text and moves the cursor as vim does. The part of an
/// operation on lines begins in the first line and ends in the last one.
pub(super) fn operate(
    buffer: &mut Buffer,
    operator: Operator,
    range: Range<usize>,
    lines: bool,
    register: &mut Register,
) {
    let whole = buffer.line_start(range.start)..buffer.line_end(range.end);
    let part = if lines { whole.clone() } else { range };
    match operator {
        Operator::Delete | Operator::Change | Operator::Yank => {
            let text = buffer.slice(part.clone()).to_owned();
            *register = Register { text, lines };
        }
        _ => {}
    }
    match operator {
        Operator::Yank if lines && buffer.line_start(buffer.cursor()) == part.start => {}
        Operator::Yank => buffer.move_to(part.start),
        Operator::Change => {
            buffer.replace(part.clone(), "");
            buffer.move_to(part.start);
        }
        Operator::Delete if lines => delete_lines(buffer, part),
        Operator::Delete => {
            buffer.replace(part.clone(), "");
            buffer.move_to(part.start);
        }
        Operator::Indent => each_line(buffer, whole, |line| match line.trim().is_empty() {
            true => line.to_owned(),
            false => format!("{INDENT}{line}"),
        }),
        Operator::Outdent => each_line(buffer, whole, outdented),
        Operator::Join => join(buffer, whole),
        Operator::SwapCase => convert(buffer, part, swap_case),
        Operator::LowerCase => convert(buffer, part, |letter| letter.to_lowercase().collect()),
        Operator::UpperCase => convert(buffer, part, |letter| letter.to_uppercase().collect()),
        Operator::Replace(with) => {
            let same = |text: &str| -> String {
                let clusters = grapheme::all(text);
                clusters.map(|(_, c)| if c == "\n" { '\n' } else { with }).collect()
            };
            let text = same(buffer.slice(part.clone()));
            buffer.replace(part.clone(), &text);
            buffer.move_to(part.start);
        }
    }
}

/// Deletes whole lines with one of their line feeds.
fn delete_lines(buffer: &mut Buffer, lines: Range<usize>) {
    let Range { start, end } = lines;
    let all = match (end < buffer.len(), start > 0) {
        (true, _) => start..end + 1,
        (false, true) => start - 1..end,
        (false, false) => start..end,
    };
    buffer.replace(all, "");
    let at = start.min(buffer.len());
    buffer.move_to(first_letter(buffer, at));
}

fn each_line(buffer: &mut Buffer, lines: Range<usize>, change: impl Fn(&str) -> String) {
    let changed: Vec<String> = buffer.slice(lines.clone()).split('\n').map(change).collect();
    let start = lines.start;
    buffer.replace(lines, &changed.join("\n"));
    buffer.move_to(first_letter(buffer, start));
}

fn outdented(line: &str) -> String {
    let spaces = line.len() - line.trim_start_matches(' ').len();
    let removed = match line.starts_with('\t') {
        true => 1,
        false => spaces.min(INDENT.len()),
    };
    line.get(removed..).unwrap_or_default().to_owned()
}

/// Joins lines with a space between them. Puts the cursor at the last joint.
fn join(buffer: &mut Buffer, lines: Range<usize>) {
    let mut joined = String::new();
    let mut joint = 0;
    for (number, line) in buffer.slice(lines.clone()).split('\n').enumerate() {
        if number == 0 {
            joined.push_str(line);
            continue;
        }
        let line = line.trim_start();
        joint = joined.len();
        let needs_space = !joined.is_empty()
            && !joined.ends_with(char::is_whitespace)
            && !line.is_empty()
            && !line.starts_with(')');
        if needs_space {
            joined.push(' ');
        } else if !line.starts_with(')') {
            joint = grapheme::previous(&joined, joined.len());
        }
        joined.push_str(line);
    }
    let start = lines.start;
    buffer.replace(lines, &joined);
    buffer.move_to(start + joint);
}

fn convert(buffer: &mut Buffer, part: Range<usize>, change: impl Fn(char) -> String) {
    let changed: String = buffer.slice(part.clone()).chars().map(change).collect();
    buffer.replace(part.clone(), &changed);
    buffer.move_to(part.start);
}

pub(super) fn swap_case(letter: char) -> String {
    match letter.is_uppercase() {
        true => letter.to_lowercase().collect(),
        false => letter.to_uppercase().collect(),
    }
}

/// Inserts the register before or after the cursor.
pub(super) fn put(buffer: &mut Buffer, register: &Register, after: bool, count: usize) {
    let cursor = buffer.cursor();
    // A count cannot make more text than the composer can hold.
    let count = count.min((256 << 10) / register.text.len().max(1) + 1);
    if register.lines {
        let block = vec![register.text.as_str(); count].join("\n");
        match after {
            true => {
                let end = buffer.line_end(cursor);
                buffer.replace(end..end, &format!("\n{block}"));
                buffer.move_to(first_letter(buffer, end + 1));
            }
            false => {
                let start = buffer.line_start(cursor);
                buffer.replace(start..start, &format!("{block}\n"));
                buffer.move_to(first_letter(buffer, start));
            }
        }
        return;
    }
    if register.text.is_empty() {
        return;
    }
    let at = if after { buffer.next(cursor).min(buffer.line_end(cursor)) } else { cursor };
    buffer.replace(at..at, &register.text.repeat(count));
    // The cursor is on the last new character; on the first one after several lines.
    match register.text.contains('\n') {
        true => buffer.move_to(at),
        false => buffer.move_to(buffer.previous(buffer.cursor())),
    }
}
