//! The state between the lines of code.

use super::grammar;
use super::languages::{self, Grammar, Language};
use super::pieces::Pieces;
use crate::sanitize;
use crate::span::{Line, Role};

/// Gives each word of code its role, line by line.
#[derive(Debug, Clone)]
pub struct Highlighter {
    language: Option<&'static Language>,
    state: State,
}

/// The construct that the next line begins in.
#[derive(Debug, Clone, Default)]
pub(super) enum State {
    /// Code.
    #[default]
    Code,
    /// A block comment, and how many of them are open.
    Comment { open: &'static str, close: &'static str, depth: u32 },
    /// A string of several lines.
    Text { close: &'static str, escapes: bool },
    /// A raw string that ends with a quote and this number of `#`.
    RawText { hashes: usize },
    /// Text up to a line that contains only this word.
    Heredoc { word: String },
    /// Lines that are indented by more than this number of spaces.
    Indented { columns: usize },
    /// A tag of a markup language.
    Tag { embeds: Option<Embedded> },
    /// Code of another language inside of a markup language.
    Embedded { kind: Embedded, inner: Box<Highlighter> },
    /// A block of code inside of Markdown.
    Fence { mark: &'static str, inner: Box<Highlighter> },
}

/// A language inside of a markup language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Embedded {
    Script,
    Style,
}

/// Returns a highlighter for code in this language: a name such as `rust`, a common short form such
/// as `rs`, the first words of a code fence, or a path. Any other text gives a highlighter that
/// finds no words.
pub fn highlighter(language: &str) -> Highlighter {
    Highlighter { language: languages::find(language), state: State::Code }
}

impl Highlighter {
    /// Returns the next line of the code with its roles. The text is sanitized: control characters
    /// become visible symbols, and tabs become spaces. A line feed
    /// becomes a space.
    pub fn line(&mut self, text: &str) -> Line {
        let visible = sanitize::visible(text);
        let text = sanitize::expand_tabs(&visible).replace('\n', " ");
        let mut pieces = Pieces::default();
        match self.language {
            None => pieces.push(&text, Role::Code),
            Some(language) => {
                let state = std::mem::take(&mut self.state);
                self.state = match language.grammar {
                    Grammar::Words => grammar::words::line(language, state, &text, &mut pieces),
                    Grammar::Markup => grammar::markup::line(state, &text, &mut pieces),
                    Grammar::Css => grammar::css::line(language, state, &text, &mut pieces),
                    Grammar::Data => grammar::data::line(language, state, &text, &mut pieces),
                    Grammar::Diff => grammar::lines::diff(state, &text, &mut pieces),
                    Grammar::Markdown => grammar::lines::markdown(state, &text, &mut pieces),
                };
            }
        }
        pieces.line()
    }
}
