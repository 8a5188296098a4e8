//! Roles of the syntax of code.

use crate::sanitize;
use crate::span::{Line, Role};

/// Finds the syntax of code, line by line.
#[derive(Debug)]
pub struct Highlighter;

/// Returns a highlighter of this language.
pub fn highlighter(_language: &str) -> Highlighter {
    Highlighter
}

impl Highlighter {
    /// Returns the next line with the roles of its syntax.
    pub fn line(&mut self, text: &str) -> Line {
        Line::of(sanitize::visible(text).replace('\t', "    "), Role::Code)
    }
}

/// Returns the language of a file; empty if unknown.
pub fn language_of_path(_path: &str) -> &'static str {
    ""
}
