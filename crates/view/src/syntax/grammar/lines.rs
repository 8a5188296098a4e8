//! Languages whose lines have a meaning as a whole.

use crate::span::Role;
use crate::syntax::highlighter::{State, highlighter};
use crate::syntax::pieces::Pieces;

/// Reads a line of a diff.
pub(crate) fn diff(_: State, text: &str, pieces: &mut Pieces) -> State {
    let heading =
        ["diff ", "index ", "--- ", "+++ ", "new file", "deleted file", "rename ", "similarity "];
    let role = match text.chars().next() {
        _ if heading.iter().any(|heading| text.starts_with(heading)) => Role::Keyword,
        Some('@') => Role::Type,
        Some('+' | '>') => Role::Added,
        Some('-' | '<') => Role::Removed,
        _ => Role::Code,
    };
    pieces.push(text, role);
    State::Code
}

/// Reads a line of Markdown.
pub(crate) fn markdown(state: State, text: &str, pieces: &mut Pieces) -> State {
    let trimmed = text.trim_start();
    if let State::Fence { mark, mut inner } = state {
        if trimmed.starts_with(mark) {
            pieces.push(text, Role::String);
            return State::Code;
        }
        pieces.append(inner.line(text));
        return State::Fence { mark, inner };
    }
    for mark in ["```", "~~~"] {
        if let Some(language) = trimmed.strip_prefix(mark) {
            pieces.push(text, Role::String);
            let language = language.trim_start_matches(['`', '~']);
            // Markdown in Markdown would need an unlimited state.
            let language = if is_markdown(language) { "" } else { language };
            return State::Fence { mark, inner: Box::new(highlighter(language)) };
        }
    }
    if trimmed.starts_with('#') {
        pieces.push(text, Role::Keyword);
        return State::Code;
    }
    let marker = match trimmed.split_once(' ') {
        Some(("-" | "*" | "+" | ">", _)) => 1,
        Some((number, _)) if number.strip_suffix('.').is_some_and(is_number) => number.len(),
        _ => 0,
    };
    let begin = text.len() - trimmed.len() + marker;
    let (marker, rest) = text.split_at_checked(begin).unwrap_or((text, ""));
    pieces.push(marker, Role::Keyword);
    for (index, piece) in rest.split_inclusive('`').enumerate() {
        pieces.push(piece, if index % 2 == 1 { Role::String } else { Role::Code });
    }
    State::Code
}

fn is_markdown(language: &str) -> bool {
    matches!(language.trim().to_ascii_lowercase().as_str(), "markdown" | "md" | "mdx")
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
