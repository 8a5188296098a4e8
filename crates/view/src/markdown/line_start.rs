//! What a line can begin with.

use crate::block::{Alignment, Marker};

/// The spaces that make a line indented code.
pub(super) const CODE_INDENT: usize = 4;

/// The beginning of a code block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fence<'a> {
    pub(super) mark: char,
    pub(super) length: usize,
    pub(super) info: &'a str,
}

/// The beginning of an item of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ListMarker {
    /// The character that the items of one list share.
    pub(super) kind: char,
    /// The number of an item of an ordered list.
    pub(super) number: Option<u64>,
    /// The length of the marker.
    pub(super) length: usize,
    /// The spaces between the marker and the text of the item.
    pub(super) spaces: usize,
}

/// Returns the number of spaces that a text begins with.
pub(super) fn indent(text: &str) -> usize {
    text.len() - text.trim_start_matches(' ').len()
}

/// Returns the level and the text of a heading such as `## Title ##`.
pub(super) fn heading(text: &str) -> Option<(u8, &str)> {
    let rest = text.trim_start_matches('#');
    let level =
        u8::try_from(text.len() - rest.len()).ok().filter(|level| (1..=6).contains(level))?;
    if !rest.is_empty() && !rest.starts_with(' ') {
        return None;
    }
    let title = rest.trim();
    let open = title.trim_end_matches('#');
    Some((level, if open.is_empty() || open.ends_with(' ') { open.trim_end() } else { title }))
}

/// Returns the beginning of a code block such as `~~~ rust`.
pub(super) fn fence(text: &str) -> Option<Fence<'_>> {
    let mark = text.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let info = text.trim_start_matches(mark);
    let length = text.len() - info.len();
    let fence = length >= 3 && !(mark == '`' && info.contains('`'));
    fence.then(|| Fence { mark, length, info: info.trim() })
}

/// Whether a line ends a code block that began with this mark.
pub(super) fn closes_fence(text: &str, mark: char, length: usize) -> bool {
    let body = text.trim();
    indent(text) <= 3 && body.len() >= length && body.chars().all(|other| other == mark)
}

/// Whether a text is a horizontal rule such as `***`.
pub(super) fn is_rule(text: &str) -> bool {
    let mark = text.chars().next().filter(|mark| matches!(mark, '-' | '*' | '_'));
    let Some(mark) = mark else { return false };
    text.chars().all(|other| other == mark || other == ' ') && text.matches(mark).count() >= 3
}

/// Returns the level of a heading whose title is the line before this one.
pub(super) fn underline(text: &str) -> Option<u8> {
    let text = text.trim_end();
    match text.chars().next()? {
        '=' if text.bytes().all(|byte| byte == b'=') => Some(1),
        '-' if text.bytes().all(|byte| byte == b'-') => Some(2),
        _ => None,
    }
}

/// Returns the marker of an item that a text begins with, such as `- ` or `12) `.
pub(super) fn list_marker(text: &str) -> Option<ListMarker> {
    let first = text.chars().next()?;
    let (kind, number, length) = match first {
        '-' | '*' | '+' => (first, None, 1),
        _ => {
            let digits = text.bytes().take_while(u8::is_ascii_digit).count();
            let number = text.get(..digits).filter(|digits| digits.len() <= 9)?.parse().ok()?;
            let kind = text.get(digits..)?.chars().next().filter(|c| matches!(c, '.' | ')'))?;
            (kind, Some(number), digits + 1)
        }
    };
    let rest = text.get(length..)?;
    let spaces = match indent(rest) {
        _ if rest.trim().is_empty() => 1,
        0 => return None,
        // More spaces are the beginning of indented code.
        spaces if spaces >= 5 => 1,
        spaces => spaces,
    };
    Some(ListMarker { kind, number, length, spaces })
}

/// Returns the marker of a task and the text after it, such as for `[x] text`.
pub(super) fn task(text: &str) -> Option<(Marker, &str)> {
    let (mark, rest) = text.split_at_checked(3)?;
    let done = match mark {
        "[ ]" => false,
        "[x]" | "[X]" => true,
        _ => return None,
    };
    (rest.is_empty() || rest.starts_with(' ')).then(|| (Marker::Task(done), rest.trim_start()))
}

/// Returns the alignments of the columns if a text is the second line of a table.
pub(super) fn delimiter_row(text: &str) -> Option<Vec<Alignment>> {
    let text = text.trim();
    if !text.contains('|') || !text.bytes().all(|byte| matches!(byte, b'|' | b'-' | b':' | b' ')) {
        return None;
    }
    let text = text.strip_prefix('|').unwrap_or(text);
    let text = text.strip_suffix('|').unwrap_or(text);
    let alignment = |cell: &str| {
        let cell = cell.trim();
        let dashes = cell.trim_start_matches(':').trim_end_matches(':');
        let valid = !dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-');
        let valid = valid && cell.len() - dashes.len() <= 2;
        valid.then(|| match (cell.starts_with(':'), cell.ends_with(':')) {
            (true, true) => Alignment::Center,
            (false, true) => Alignment::Right,
            _ => Alignment::Left,
        })
    };
    text.split('|').map(alignment).collect()
}

/// Whether the beginning of a line has only characters of markers, so that its meaning depends on
/// what follows.
pub(super) fn is_only_a_marker(text: &str) -> bool {
    let body = text.trim_start_matches([' ', '>']).trim_end();
    let marks = |c: char| matches!(c, '-' | '=' | '*' | '+' | '_' | '#' | '`' | '~' | '|' | ':');
    let number = body.trim_end_matches(['.', ')']);
    let digits = number.bytes().all(|byte| byte.is_ascii_digit()) && number.len() <= 3;
    let task = body.strip_prefix(['-', '*', '+']).map(str::trim_start);
    body.chars().all(|c| marks(c) || c == ' ')
        || (digits && body.len() == number.len() + 1)
        || task.is_some_and(|task| matches!(task, "[" | "[ ]" | "[x" | "[x]" | "[X" | "[X]"))
}
