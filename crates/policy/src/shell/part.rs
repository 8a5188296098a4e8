//! One command of a line.

use super::word::Word;

/// One command of a line: a program with its arguments, or the data of a compound command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Part {
    /// The variables that the command's assignments set.
    pub(crate) assignments: Vec<(String, Word)>,
    /// The program and its arguments; empty if the command only sets variables.
    pub(crate) words: Vec<Word>,
    /// The redirections.
    pub(crate) redirects: Vec<Redirect>,
    /// Words that belong to no command: those of `for` and `case`.
    pub(crate) data: Vec<Word>,
    /// Whether the command is in a loop, so that later commands can also run before it.
    pub(crate) repeated: bool,
}

/// A redirection of an input or output to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Redirect {
    pub(crate) writes: bool,
    pub(crate) target: Word,
}
