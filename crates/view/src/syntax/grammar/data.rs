//! Languages of data: keys, values and comments.

use super::words;
use crate::span::Role;
use crate::syntax::highlighter::State;
use crate::syntax::languages::Language;
use crate::syntax::pieces::Pieces;

/// Reads one line.
pub(crate) fn line(
    language: &'static Language,
    state: State,
    text: &str,
    pieces: &mut Pieces,
) -> State {
    let indent = text.len() - text.trim_start().len();
    match state {
        State::Code => {}
        State::Indented { columns } if text.trim().is_empty() || indent > columns => {
            pieces.push(text, Role::String);
            return State::Indented { columns };
        }
        State::Indented { .. } => {}
        state => return words::line(language, state, text, pieces),
    }
    let trimmed = text.trim_start();
    if trimmed.starts_with('[') && language.sections && !trimmed.contains('=') {
        pieces.push(text, Role::Type);
        return State::Code;
    }
    let mut at = 0;
    while let Some((from, length, next)) = key(language, text.get(at..).unwrap_or_default()) {
        pieces.push(text.get(at..at + from).unwrap_or_default(), Role::Code);
        pieces.push(text.get(at + from..at + from + length).unwrap_or_default(), Role::Function);
        pieces.push(text.get(at + from + length..at + next).unwrap_or_default(), Role::Code);
        at += next;
        if !language.json {
            break;
        }
        // Values up to the next key.
        let rest = text.get(at..).unwrap_or_default();
        let until = value(rest);
        let state = words::line(language, State::Code, rest.get(..until).unwrap_or(rest), pieces);
        if !matches!(state, State::Code) {
            return state;
        }
        at += until;
    }
    let rest = text.get(at..).unwrap_or_default();
    let block = rest.trim_end().trim_end_matches(['-', '+']);
    if language.sections || language.json || !(block.ends_with('|') || block.ends_with('>')) {
        return words::line(language, State::Code, rest, pieces);
    }
    words::line(language, State::Code, rest, pieces);
    State::Indented { columns: indent }
}

/// Finds the key that a text begins with: where it begins, its length, and where its value begins.
fn key(language: &Language, text: &str) -> Option<(usize, usize, usize)> {
    let begin = match language.json {
        true => text.find(|c: char| !matches!(c, ' ' | '{' | '}' | '[' | ']' | ','))?,
        false => text.len() - text.trim_start_matches([' ', '-', '?']).len(),
    };
    let rest = text.get(begin..)?;
    let length = match rest.chars().next()? {
        quote @ ('"' | '\'') => quoted(rest, quote)?,
        _ if language.json => return None,
        '#' => return None,
        _ if language.sections => rest.find('=')?,
        _ => rest.find(": ").or_else(|| rest.trim_end().strip_suffix(':').map(str::len))?,
    };
    let separator = if language.sections { '=' } else { ':' };
    let after = rest.get(length..)?;
    let spaces = after.len() - after.trim_start().len();
    let key = rest.get(..length)?.trim_end().len();
    if key == 0 || !after.trim_start().starts_with(separator) {
        return None;
    }
    Some((begin, key, begin + length + spaces + separator.len_utf8()))
}

/// Returns the length of the string at the beginning of a text.
fn quoted(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            character if character == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Returns the length of the value at the beginning of a text, up to the next comma or bracket
/// outside of strings.
fn value(text: &str) -> usize {
    let begin = text.len() - text.trim_start().len();
    let rest = text.get(begin..).unwrap_or_default();
    match rest.chars().next() {
        Some('"') => begin + quoted(rest, '"').unwrap_or(rest.len()),
        _ => rest.find([',', '{', '[', '}', ']']).map_or(text.len(), |at| begin + at),
    }
}
