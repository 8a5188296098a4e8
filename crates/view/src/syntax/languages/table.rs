//! The languages.

mod files;
mod managed;
mod scripting;
mod systems;
mod web;

use super::{Grammar, Language, Quotes};
use crate::span::Role;
use std::collections::HashMap;

/// A string of one line, in which a backslash takes the meaning from the next character.
const fn string(quote: &'static str) -> Quotes {
    Quotes { open: quote, close: quote, escapes: true, lines: false }
}

/// A string of several lines, in which a backslash takes the meaning from the next character.
const fn long(quote: &'static str) -> Quotes {
    Quotes { open: quote, close: quote, escapes: true, lines: true }
}

/// A string without escapes.
const fn literal(quote: &'static str, lines: bool) -> Quotes {
    Quotes { open: quote, close: quote, escapes: false, lines }
}

const SLASHES: &[&str] = &["//"];
const HASH: &[&str] = &["#"];
const STARS: &[(&str, &str)] = &[("/*", "*/")];
const PLAIN: &[Quotes] = &[string("\""), string("'")];

/// Returns the roles of these words.
fn words(
    keywords: &'static str,
    types: &'static str,
    constants: &'static str,
) -> HashMap<&'static str, Role> {
    let of = |words: &'static str, role| words.split_whitespace().map(move |word| (word, role));
    let keywords = of(keywords, Role::Keyword);
    keywords.chain(of(types, Role::Type)).chain(of(constants, Role::Constant)).collect()
}

/// A language with the comments and strings of C.
fn like_c() -> Language {
    Language {
        line_comments: SLASHES,
        block_comments: STARS,
        strings: PLAIN,
        calls: true,
        ..Language::default()
    }
}

/// A language of data with `#` comments.
fn data() -> Language {
    Language {
        grammar: Grammar::Data,
        line_comments: HASH,
        words_hold_comments: true,
        strings: PLAIN,
        words: words("", "", "true false null yes no on off"),
        ..Language::default()
    }
}

/// Returns all languages.
pub(super) fn languages() -> Vec<Language> {
    let mut all = systems::languages();
    all.extend(managed::languages());
    all.extend(scripting::languages());
    all.extend(web::languages());
    all.extend(files::languages());
    all
}
