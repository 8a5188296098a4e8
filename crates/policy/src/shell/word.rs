//! One word of a command line, with what the shell makes of quotes, variables and substitutions.

/// A word as its command gets it, as far as that is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Word {
    /// Without its quotes; what a variable or a substitution gives is left out.
    pub(crate) text: String,
    /// Whether any of it stood in quotes or behind a backslash.
    pub(crate) quoted: bool,
    /// Whether the shell makes other words of it by names of files, braces or `~`.
    pub(crate) pattern: bool,
    /// Whether `{}` stands in it without quotes.
    pub(super) braces: bool,
    /// Whether a variable is part of it.
    pub(crate) variable: bool,
    /// Whether the output of a command is part of it.
    pub(crate) substitution: bool,
    /// Where `=` stands, in bytes, if the word sets a variable when it stands before the program.
    pub(super) assigns: Option<usize>,
}

impl Word {
    /// A word of which nothing is known.
    pub(super) fn variable() -> Self {
        Self { variable: true, ..Self::default() }
    }

    /// Whether its text is exactly what the command gets.
    pub(crate) fn is_literal(&self) -> bool {
        !self.pattern && !self.variable && !self.substitution
    }

    /// Name and value of an assignment.
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
