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
    if language.json {
        return json(language, text, pieces);
    }
    let mut rest = text;
    if let Some((begin, length)) = key(language, text) {
        for (length, role) in [(begin, Role::Code), (length, Role::Function), (1, Role::Code)] {
            let (piece, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
            pieces.push(piece, role);
            rest = after;
        }
    }
    let state = words::line(language, State::Code, rest, pieces);
    // In YAML, the text of `key: |` follows in the next lines.
    let block = rest.trim_end().trim_end_matches(['-', '+']);
    let block = block.trim_start_matches([' ', '-']);
    match !language.sections && matches!(block, "|" | ">") {
        true => State::Indented { columns: indent },
        false => state,
    }
}

/// Reads a line of JSON.
fn json(language: &'static Language, text: &str, pieces: &mut Pieces) -> State {
    let mut rest = text;
    loop {
        let (before, string) =
            rest.split_at_checked(rest.find('"').unwrap_or(rest.len())).unwrap_or((rest, ""));
        if string.is_empty() || before.contains("//") || before.contains("/*") {
            return words::line(language, State::Code, rest, pieces);
        }
        words::line(language, State::Code, before, pieces);
        let length = quoted(string, '"').unwrap_or(string.len());
        let (string, after) = string.split_at_checked(length).unwrap_or((string, ""));
        let key = after.trim_start().starts_with(':');
        pieces.push(string, if key { Role::Function } else { Role::String });
        rest = after;
    }
}

/// Finds the key that a text begins with: where it begins, and its length with the spaces after it.
/// A separator follows.
fn key(language: &Language, text: &str) -> Option<(usize, usize)> {
    let begin = text.len() - text.trim_start_matches([' ', '-', '?']).len();
    let rest = text.get(begin..)?;
    let separator = if language.sections { '=' } else { ':' };
    let length = match rest.chars().next()? {
        '#' | ';' => return None,
        quote @ ('"' | '\'') => quoted(rest, quote)?,
        _ if language.sections => rest.find('=')?,
        _ => rest.find(": ").or_else(|| rest.trim_end().strip_suffix(':').map(str::len))?,
    };
    let after = rest.get(length..)?;
    let spaces = after.len() - after.trim_start().len();
    (length > 0 && after.trim_start().starts_with(separator)).then_some((begin, length + spaces))
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
