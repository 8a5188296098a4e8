//! Markup: tags, attributes and comments, with scripts and style sheets inside.

use super::words;
use crate::span::Role;
use crate::syntax::highlighter::{Embedded, State, highlighter};
use crate::syntax::pieces::Pieces;

/// Reads one line.
pub(crate) fn line(state: State, text: &str, pieces: &mut Pieces) -> State {
    let (mut state, mut rest) = (state, text);
    loop {
        (state, rest) = match state {
            State::Comment { open, close, depth } => match rest.find("-->") {
                Some(end) => (State::Code, take(rest, end + 3, Role::Comment, pieces)),
                None => {
                    pieces.push(rest, Role::Comment);
                    return State::Comment { open, close, depth };
                }
            },
            State::Text { close, escapes } => match rest.find(close) {
                Some(end) => {
                    let rest = take(rest, end + close.len(), Role::String, pieces);
                    (State::Tag { embeds: None }, rest)
                }
                None => {
                    pieces.push(rest, Role::String);
                    return State::Text { close, escapes };
                }
            },
            State::Embedded { kind, mut inner } => {
                let close = if kind == Embedded::Script { "</script" } else { "</style" };
                match rest.find(close) {
                    Some(end) => {
                        let (code, rest) = rest.split_at_checked(end).unwrap_or((rest, ""));
                        pieces.append(inner.line(code));
                        (State::Code, rest)
                    }
                    None => {
                        pieces.append(inner.line(rest));
                        return State::Embedded { kind, inner };
                    }
                }
            }
            state if rest.is_empty() => return state,
            State::Tag { embeds } => tag(embeds, rest, pieces),
            _ => content(rest, pieces),
        };
    }
}

/// Adds the first bytes of a text with this role, and returns the rest.
fn take<'a>(text: &'a str, length: usize, role: Role, pieces: &mut Pieces) -> &'a str {
    let (taken, rest) = text.split_at_checked(length).unwrap_or((text, ""));
    pieces.push(taken, role);
    rest
}

/// Reads text up to and with the beginning of the next tag.
fn content<'a>(text: &'a str, pieces: &mut Pieces) -> (State, &'a str) {
    let Some(begin) = text.find(['<', '&']) else {
        return (State::Code, take(text, text.len(), Role::Code, pieces));
    };
    let rest = take(text, begin, Role::Code, pieces);
    if rest.starts_with("<!--") {
        let state = State::Comment { open: "<!--", close: "-->", depth: 1 };
        return (state, take(rest, 4, Role::Comment, pieces));
    }
    if rest.starts_with('&') {
        let length = rest.find(';').filter(|end| *end < 12).map_or(1, |end| end + 1);
        let role = if length > 1 { Role::Constant } else { Role::Code };
        return (State::Code, take(rest, length, role, pieces));
    }
    let after = rest.get(1..).unwrap_or_default();
    let begin = after.len() - after.trim_start_matches(['/', '!', '?']).len();
    let name = after.get(begin..).unwrap_or_default();
    let length = name
        .find(|c: char| !(words::is_word(c) || matches!(c, '-' | ':' | '.')))
        .unwrap_or(name.len());
    if length == 0 {
        return (State::Code, take(rest, 1, Role::Code, pieces));
    }
    let embeds = match name.get(..length) {
        Some("script") if begin == 0 => Some(Embedded::Script),
        Some("style") if begin == 0 => Some(Embedded::Style),
        _ => None,
    };
    let rest = take(rest, 1 + begin, Role::Code, pieces);
    (State::Tag { embeds }, take(rest, length, Role::Keyword, pieces))
}

/// Reads the next part of a tag.
fn tag<'a>(embeds: Option<Embedded>, text: &'a str, pieces: &mut Pieces) -> (State, &'a str) {
    let same = State::Tag { embeds };
    match text.chars().next() {
        Some('>') => {
            let rest = take(text, 1, Role::Code, pieces);
            let state = match embeds {
                None => State::Code,
                Some(kind) => {
                    let language = if kind == Embedded::Script { "javascript" } else { "css" };
                    State::Embedded { kind, inner: Box::new(highlighter(language)) }
                }
            };
            (state, rest)
        }
        Some('/') if text.starts_with("/>") => (State::Code, take(text, 2, Role::Code, pieces)),
        Some(quote @ ('"' | '\'')) => {
            let inside = text.get(1..).unwrap_or_default();
            match inside.find(quote) {
                Some(end) => (same, take(text, end + 2, Role::String, pieces)),
                None => {
                    let close = if quote == '"' { "\"" } else { "'" };
                    let rest = take(text, text.len(), Role::String, pieces);
                    (State::Text { close, escapes: false }, rest)
                }
            }
        }
        Some(first) if words::is_word(first) || matches!(first, '@' | ':' | '-') => {
            let end = text.find([' ', '=', '>', '/', '"', '\'']).unwrap_or(text.len());
            (same, take(text, end, Role::Function, pieces))
        }
        Some(first) => (same, take(text, first.len_utf8(), Role::Code, pieces)),
        None => (same, ""),
    }
}
