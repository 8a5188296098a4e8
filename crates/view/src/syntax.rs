//! Roles for the words of source code.
//!
//! A [`Highlighter`] reads code line by line and keeps only a small state between lines, so that
//! code can be shown while it still comes. It knows words, strings, comments and numbers of each
//! language, not the grammar: a table in `languages.rs` describes a language, and `grammar/` has
//! the few that differ. A library with whole grammars would add more than 2 MB to the command and
//! 60 ms to the first line. Code in an unknown language has the role
//! [`Role::Code`](crate::Role::Code).

mod grammar;
mod highlighter;
mod languages;
mod pieces;

pub use highlighter::{Highlighter, highlighter};
pub use languages::language_of_path;

#[cfg(test)]
mod tests;
