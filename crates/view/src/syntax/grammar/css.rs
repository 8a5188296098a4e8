//! Style sheets: selectors, properties and values.

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
    if !matches!(state, State::Code) {
        return words::line(language, state, text, pieces);
    }
    let trimmed = text.trim_start();
    let (indent, _) = text.split_at_checked(text.len() - trimmed.len()).unwrap_or_default();
    pieces.push(indent, Role::Code);
    let length = trimmed
        .find(|c: char| {
            !(words::is_word(c) || matches!(c, '-' | '@' | '.' | '#' | ':' | '&' | '*'))
        })
        .unwrap_or(trimmed.len());
    let (first, rest) = trimmed.split_at_checked(length).unwrap_or((trimmed, ""));
    let property = first.split_once(':').map(|(name, _)| name).filter(|name| {
        !trimmed.trim_end().ends_with(['{', ','])
            && name.starts_with(|c: char| c == '-' || words::is_word(c))
    });
    if let Some(name) = property {
        pieces.push(name, Role::Function);
        return value(language, trimmed.get(name.len()..).unwrap_or_default(), pieces);
    }
    let role = match first.chars().next() {
        Some('@') => Role::Keyword,
        Some(_) if !trimmed.starts_with("/*") => Role::Type,
        _ => Role::Code,
    };
    pieces.push(first, role);
    match rest.split_once('{') {
        // A rule in one line: `a { color: red }`.
        Some((selector, inside)) if inside.contains(':') => {
            pieces.push(selector, role);
            pieces.push("{", Role::Code);
            line(language, State::Code, inside, pieces)
        }
        _ => words::line(language, State::Code, rest, pieces),
    }
}

/// Reads the value of a property, in which `#` begins a colour.
fn value(language: &'static Language, text: &str, pieces: &mut Pieces) -> State {
    let Some((before, after)) = text.split_once('#') else {
        return words::line(language, State::Code, text, pieces);
    };
    let length = words::word(after);
    let (color, rest) = after.split_at_checked(length).unwrap_or((after, ""));
    words::line(language, State::Code, before, pieces);
    pieces.push("#", Role::Constant);
    pieces.push(color, Role::Constant);
    words::line(language, State::Code, rest, pieces)
}
