//! One word of a command line, with its quotes, variables and substitutions.

/// A word as its command receives it, as far as the line shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Word {
    /// The text without quotes, and without the values of variables and substitutions.
    pub(crate) text: String,
    /// Whether any part of the word is in quotes or after a backslash.
    pub(crate) quoted: bool,
    /// Whether the shell expands the word: a pattern for file names, braces or `~`.
    pub(crate) pattern: bool,
    /// Whether the word contains `{}` without quotes.
    pub(super) braces: bool,
    /// Whether a variable is part of the word.
    pub(crate) variable: bool,
    /// Whether the output of a command is part of the word.
    pub(crate) substitution: bool,
    /// The byte offset of `=` in a word such as `A=1`. Before the program, such a word sets a
    /// variable.
    pub(super) assigns: Option<usize>,
}

impl Word {
    /// An unknown word.
    pub(super) fn variable() -> Self {
        Self { variable: true, ..Self::default() }
    }

    /// Whether the command receives exactly `text`.
    pub(crate) fn is_literal(&self) -> bool {
        !self.pattern && !self.variable && !self.substitution
    }

    /// The name and the value of an assignment.
    pub(super) fn split(self, at: usize) -> (String, Self) {
        let (name, value) = self.text.split_at_checked(at).unwrap_or_default();
        let (name, value) = (name.to_owned(), value.get(1..).unwrap_or_default().to_owned());
        (name, Self { text: value, assigns: None, ..self })
    }
}

/// Whether a variable can have this name.
pub(super) fn is_name(text: &str) -> bool {
    let first = text.chars().next();
    first.is_some_and(|each| each.is_ascii_alphabetic() || each == '_') && text.chars().all(in_name)
}

pub(super) fn in_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}
