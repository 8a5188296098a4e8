//! Text objects: words, quoted texts, brackets and paragraphs.

use super::super::buffer::Buffer;
use super::command::Object;
use super::motion::{class, close_after, line_below, open_before};
use std::ops::Range;

/// The part of the text that an object is, and whether it is whole lines.
pub(super) fn find(buffer: &Buffer, object: Object, count: usize) -> Option<(Range<usize>, bool)> {
    let Object { key, around } = object;
    let brackets = |open, close| {
        let range = bracketed(buffer, open, close, around, count)?;
        Some(inner_lines(buffer, &range).filter(|_| !around).unwrap_or((range, false)))
    };
    match key {
        'w' | 'W' => Some((words(buffer, key == 'W', around, count)?, false)),
        '"' | '\'' | '`' => Some((quoted(buffer, key, around)?, false)),
        '(' | ')' | 'b' => brackets('(', ')'),
        '[' | ']' => brackets('[', ']'),
        '{' | '}' | 'B' => brackets('{', '}'),
        '<' | '>' => brackets('<', '>'),
        'p' => Some((paragraph(buffer, around), true)),
        _ => None,
    }
}

fn words(buffer: &Buffer, big: bool, around: bool, count: usize) -> Option<Range<usize>> {
    let cursor = buffer.cursor();
    let (first, last) = (buffer.line_start(cursor), buffer.line_end(cursor));
    if first == last {
        return None;
    }
    let run = |from: usize| {
        let kind = class(buffer, from, big);
        let mut end = from;
        while end < last && class(buffer, end, big) == kind {
            end = buffer.next(end);
        }
        end
    };
    let mut start = cursor;
    while start > first && class(buffer, buffer.previous(start), big) == class(buffer, cursor, big)
    {
        start = buffer.previous(start);
    }
    let begins_with_space = class(buffer, cursor, big) == 0;
    let mut end = start;
    for _ in 0..count {
        if end >= last {
            break;
        }
        end = run(end);
        if around && end < last && (begins_with_space || class(buffer, end, big) == 0) {
            end = run(end);
        }
    }
    // Without a space behind it, a word takes the space before it.
    let has_space = end > start && class(buffer, buffer.previous(end), big) == 0;
    if around && !begins_with_space && !has_space {
        while start > first && class(buffer, buffer.previous(start), big) == 0 {
            start = buffer.previous(start);
        }
    }
    Some(start..end)
}

fn quoted(buffer: &Buffer, mark: char, around: bool) -> Option<Range<usize>> {
    let cursor = buffer.cursor();
    let (first, last) = (buffer.line_start(cursor), buffer.line_end(cursor));
    let mut marks = Vec::new();
    let mut escaped = false;
    for (offset, letter) in buffer.slice(first..last).char_indices() {
        if letter == mark && !escaped {
            marks.push(first + offset);
        }
        escaped = letter == '\\' && !escaped;
    }
    let pairs = marks.chunks_exact(2).filter_map(|pair| Some((*pair.first()?, *pair.last()?)));
    let (open, close) = pairs.into_iter().find(|(_, close)| *close >= cursor)?;
    if !around {
        return Some(open + 1..close);
    }
    let (mut start, mut end) = (open, close + 1);
    let after = buffer.slice(end..last);
    end += after.len() - after.trim_start().len();
    if end == close + 1 {
        start = first + buffer.slice(first..open).trim_end().len();
    }
    Some(start..end)
}

fn bracketed(
    buffer: &Buffer,
    open: char,
    close: char,
    around: bool,
    count: usize,
) -> Option<Range<usize>> {
    let cursor = buffer.cursor();
    let mut start = match buffer.char_at(cursor) {
        Some(letter) if letter == open => cursor,
        // Outside of brackets, the next ones of the line are meant.
        _ => open_before(buffer, cursor, open, close).or_else(|| {
            let rest = buffer.slice(cursor..buffer.line_end(cursor));
            rest.find(open).map(|at| cursor + at)
        })?,
    };
    for _ in 1..count {
        start = open_before(buffer, start, open, close)?;
    }
    let end = close_after(buffer, start + 1, open, close)?;
    Some(if around { start..end + 1 } else { start + 1..end })
}

/// Returns the lines between two brackets that are alone at the end and at the start of theirs.
fn inner_lines(buffer: &Buffer, range: &Range<usize>) -> Option<(Range<usize>, bool)> {
    let inner = buffer.slice(range.clone()).strip_prefix('\n')?;
    let (lines, indent) = inner.rsplit_once('\n')?;
    let start = range.start + 1;
    indent.trim().is_empty().then_some((start..start + lines.len(), true))
}

fn paragraph(buffer: &Buffer, around: bool) -> Range<usize> {
    let is_blank = |at: usize| buffer.slice(at..buffer.line_end(at)).trim().is_empty();
    let below = |at: usize, blank: bool| {
        let mut end = at;
        while let Some(next) = line_below(buffer, end).filter(|next| is_blank(*next) == blank) {
            end = next;
        }
        end
    };
    let above = |at: usize, blank: bool| {
        let mut start = at;
        while start > 0 && is_blank(buffer.line_start(start - 1)) == blank {
            start = buffer.line_start(start - 1);
        }
        start
    };
    let line = buffer.line_start(buffer.cursor());
    let blank = is_blank(line);
    let (mut start, mut last) = (above(line, blank), below(line, blank));
    if around {
        let more = below(last, !blank);
        match more == last {
            true if !blank => start = above(start, true),
            _ => last = more,
        }
    }
    start..buffer.line_end(last)
}
