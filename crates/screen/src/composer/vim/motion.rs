//! Where motions lead.

use super::super::buffer::Buffer;
use super::super::grapheme::is_chip;
use super::command::Motion;

/// Where a motion leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Destination {
    pub(super) at: usize,
    pub(super) span: Span,
}

/// What an operator takes of the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Span {
    /// The characters between the start and the end.
    Exclusive,
    /// The character at the end too.
    Inclusive,
    /// Whole lines.
    Lines,
}

/// What a motion remembers.
#[derive(Debug, Default, Clone)]
pub(super) struct Memory {
    /// The last search in a line, for `;` and `,`.
    pub(super) sought: Option<Motion>,
    /// The column that `j` and `k` keep, in characters.
    pub(super) column: Option<usize>,
}

/// Returns where a motion leads; `None` if it leads nowhere.
pub(super) fn destination(
    buffer: &Buffer,
    motion: Motion,
    count: Option<usize>,
    memory: &mut Memory,
) -> Option<Destination> {
    let from = buffer.cursor();
    let times = count.unwrap_or(1);
    if !matches!(motion.key, 'j' | 'k') {
        memory.column = None;
    }
    let exclusive = |at| Some(Destination { at, span: Span::Exclusive });
    let inclusive = |at| Some(Destination { at, span: Span::Inclusive });
    let lines = |at| Some(Destination { at, span: Span::Lines });
    match motion.key {
        'h' => {
            let start = buffer.line_start(from);
            exclusive(repeat(times, from, |at| (at > start).then(|| buffer.previous(at))))
        }
        'l' | ' ' => {
            let end = buffer.line_end(from);
            exclusive(repeat(times, from, |at| (at < end).then(|| buffer.next(at))))
        }
        'j' | 'k' => lines(vertical(buffer, motion.key == 'j', times, memory)?),
        'w' | 'W' => exclusive(repeat(times, from, |at| word_start(buffer, at, motion.key == 'W'))),
        'b' | 'B' => exclusive(repeat(times, from, |at| word_back(buffer, at, motion.key == 'B'))),
        'e' | 'E' => inclusive(repeat(times, from, |at| word_end(buffer, at, motion.key == 'E'))),
        '0' => exclusive(buffer.line_start(from)),
        '^' => exclusive(first_letter(buffer, from)),
        '$' => {
            // Like other motions over lines, it fails on the last line.
            if times > 1 && line_below(buffer, from).is_none() {
                return None;
            }
            memory.column = Some(usize::MAX);
            let line = repeat(times - 1, from, |at| line_below(buffer, at));
            exclusive(buffer.line_end(line))
        }
        'g' => lines(first_letter(buffer, line_number(buffer, times))),
        'G' => lines(first_letter(buffer, count.map_or(buffer.len(), |n| line_number(buffer, n)))),
        'f' | 'F' | 't' | 'T' => {
            memory.sought = Some(motion);
            seek(buffer, motion, times, false)
        }
        ';' => seek(buffer, memory.sought?, times, true),
        ',' => {
            let Motion { key, sought } = memory.sought?;
            let key = if key.is_uppercase() {
                key.to_ascii_lowercase()
            } else {
                key.to_ascii_uppercase()
            };
            seek(buffer, Motion { key, sought }, times, true)
        }
        '%' => match count {
            None => inclusive(matching_bracket(buffer, from)?),
            Some(1..=100) => lines(first_letter(buffer, percentage(buffer, times))),
            Some(_) => None,
        },
        '}' => exclusive(paragraphs(buffer, from, times, true)?),
        '{' => exclusive(paragraphs(buffer, from, times, false)?),
        _ => None,
    }
}

/// Takes a step as often as possible, at most this often.
pub(super) fn repeat(times: usize, from: usize, step: impl Fn(usize) -> Option<usize>) -> usize {
    let mut at = from;
    for _ in 0..times {
        match step(at) {
            Some(next) if next != at => at = next,
            _ => break,
        }
    }
    at
}

/// Returns the kind of the character at `at`: 0 for spaces and at the end.
pub(super) fn class(buffer: &Buffer, at: usize, big: bool) -> u8 {
    match buffer.char_at(at) {
        None => 0,
        Some(letter) if letter.is_whitespace() => 0,
        Some(_) if big => 1,
        Some(letter) if is_chip(letter) => 3,
        Some(letter) if letter.is_alphanumeric() || letter == '_' => 1,
        Some(_) => 2,
    }
}

fn is_empty_line(buffer: &Buffer, at: usize) -> bool {
    buffer.line_start(at) == at && buffer.line_end(at) == at
}

fn word_start(buffer: &Buffer, from: usize, big: bool) -> Option<usize> {
    let kind = class(buffer, from, big);
    let mut at = from;
    while kind != 0 && at < buffer.len() && class(buffer, at, big) == kind {
        at = buffer.next(at);
    }
    while at < buffer.len() && class(buffer, at, big) == 0 {
        if at != from && is_empty_line(buffer, at) {
            break;
        }
        at = buffer.next(at);
    }
    Some(at)
}

fn word_back(buffer: &Buffer, from: usize, big: bool) -> Option<usize> {
    let mut at = buffer.previous(from);
    while at > 0 && class(buffer, at, big) == 0 && !is_empty_line(buffer, at) {
        at = buffer.previous(at);
    }
    let kind = class(buffer, at, big);
    while kind != 0 && at > 0 && class(buffer, buffer.previous(at), big) == kind {
        at = buffer.previous(at);
    }
    Some(at)
}

fn word_end(buffer: &Buffer, from: usize, big: bool) -> Option<usize> {
    let mut at = buffer.next(from);
    while at < buffer.len() && class(buffer, at, big) == 0 {
        at = buffer.next(at);
    }
    if at >= buffer.len() {
        return Some(buffer.previous(buffer.len()).max(from));
    }
    let kind = class(buffer, at, big);
    while buffer.next(at) < buffer.len() && class(buffer, buffer.next(at), big) == kind {
        at = buffer.next(at);
    }
    Some(at)
}

/// Returns the first character of the line that is no space.
pub(super) fn first_letter(buffer: &Buffer, at: usize) -> usize {
    let (start, end) = (buffer.line_start(at), buffer.line_end(at));
    let line = buffer.slice(start..end);
    let spaces = line.len() - line.trim_start().len();
    if spaces == line.len() { buffer.previous(end).max(start) } else { start + spaces }
}

pub(super) fn line_below(buffer: &Buffer, at: usize) -> Option<usize> {
    let end = buffer.line_end(at);
    (end < buffer.len()).then_some(end + 1)
}

fn line_above(buffer: &Buffer, at: usize) -> Option<usize> {
    let start = buffer.line_start(at);
    (start > 0).then(|| buffer.line_start(start - 1))
}

/// Returns the start of a line, counted from 1; of the last line if there are fewer.
fn line_number(buffer: &Buffer, number: usize) -> usize {
    repeat(number.saturating_sub(1), 0, |at| line_below(buffer, at))
}

/// Returns the start of the line at this percentage of the lines.
fn percentage(buffer: &Buffer, percent: usize) -> usize {
    let lines = buffer.text().matches('\n').count() + 1;
    line_number(buffer, (percent * lines).div_ceil(100))
}

fn vertical(buffer: &Buffer, down: bool, times: usize, memory: &mut Memory) -> Option<usize> {
    let from = buffer.cursor();
    let step = |at| if down { line_below(buffer, at) } else { line_above(buffer, at) };
    let line = repeat(times, buffer.line_start(from), step);
    if line == buffer.line_start(from) {
        return None;
    }
    let here = || {
        let start = buffer.line_start(from);
        let mut column = 0;
        let mut at = start;
        while at < from {
            at = buffer.next(at);
            column += 1;
        }
        column
    };
    let column = memory.column.unwrap_or_else(here);
    memory.column = Some(column);
    let end = buffer.line_end(line);
    Some(repeat(column, line, |at| (at < end).then(|| buffer.next(at))))
}

/// Looks for a character in the line. `again` skips a place right beside the cursor that `t` has
/// found before.
fn seek(buffer: &Buffer, motion: Motion, times: usize, again: bool) -> Option<Destination> {
    let Motion { key, sought } = motion;
    let (start, end) = (buffer.line_start(buffer.cursor()), buffer.line_end(buffer.cursor()));
    let (forward, till) = (matches!(key, 'f' | 't'), matches!(key, 't' | 'T'));
    let step = |at: usize| match forward {
        true => Some(buffer.next(at)).filter(|next| at < end && *next < end),
        false => (at > start).then(|| buffer.previous(at)),
    };
    let mut at = buffer.cursor();
    if again && till && times == 1 {
        let beside = step(at)?;
        if buffer.char_at(beside) == sought {
            at = beside;
        }
    }
    for _ in 0..times {
        at = step(at)?;
        while buffer.char_at(at) != sought {
            at = step(at)?;
        }
    }
    Some(match (forward, till) {
        (true, true) => Destination { at: buffer.previous(at), span: Span::Inclusive },
        (true, false) => Destination { at, span: Span::Inclusive },
        (false, true) => Destination { at: buffer.next(at), span: Span::Exclusive },
        (false, false) => Destination { at, span: Span::Exclusive },
    })
}

/// Returns the bracket that matches the first one at or after `from` in its line.
fn matching_bracket(buffer: &Buffer, from: usize) -> Option<usize> {
    const PAIRS: [(char, char); 3] = [('(', ')'), ('[', ']'), ('{', '}')];
    let line = buffer.slice(from..buffer.line_end(from));
    let found = |letter| PAIRS.iter().find(|(open, close)| letter == *open || letter == *close);
    let (offset, letter) = line.char_indices().find(|(_, letter)| found(*letter).is_some())?;
    let (open, close) = *found(letter)?;
    let at = from + offset;
    match letter == open {
        true => close_after(buffer, at + 1, open, close),
        false => open_before(buffer, at, open, close),
    }
}

/// Returns the first closing bracket at or after `from` without an opening one.
pub(super) fn close_after(buffer: &Buffer, from: usize, open: char, close: char) -> Option<usize> {
    let mut depth = 0;
    for (offset, letter) in buffer.slice(from..buffer.len()).char_indices() {
        match letter {
            letter if letter == close && depth == 0 => return Some(from + offset),
            letter if letter == close => depth -= 1,
            letter if letter == open => depth += 1,
            _ => {}
        }
    }
    None
}

/// Returns the last opening bracket before `end` without a closing one.
pub(super) fn open_before(buffer: &Buffer, end: usize, open: char, close: char) -> Option<usize> {
    let mut depth = 0;
    for (at, letter) in buffer.slice(0..end).char_indices().rev() {
        match letter {
            letter if letter == open && depth == 0 => return Some(at),
            letter if letter == open => depth -= 1,
            letter if letter == close => depth += 1,
            _ => {}
        }
    }
    None
}

/// Returns where this many paragraphs lead: to an empty line or, for the last one, to an end of the
/// text. Returns `None` if there are fewer paragraphs.
fn paragraphs(buffer: &Buffer, from: usize, times: usize, down: bool) -> Option<usize> {
    let mut at = from;
    for left in (0..times).rev() {
        at = match paragraph(buffer, at, down) {
            Some(next) => next,
            None if left > 0 => return None,
            None => return Some(if down { buffer.len() } else { 0 }),
        };
    }
    Some(at)
}

/// Returns the next or previous empty line.
fn paragraph(buffer: &Buffer, from: usize, down: bool) -> Option<usize> {
    let step = |at| if down { line_below(buffer, at) } else { line_above(buffer, at) };
    let mut at = buffer.line_start(from);
    let mut seen_text = !is_empty_line(buffer, at);
    while let Some(next) = step(at) {
        at = next;
        let is_empty = is_empty_line(buffer, at);
        if is_empty && seen_text {
            return Some(at);
        }
        seen_text |= !is_empty;
    }
    None
}
