//! One command of a line.

use super::word::Word;

/// One command of a line: a program with its arguments, or what the shell itself goes through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Part {
    /// Variables that are set for it, or by it.
    pub(crate) assignments: Vec<(String, Word)>,
    /// The program and its arguments; none where only variables are set.
    pub(crate) words: Vec<Word>,
    /// The files that it reads and writes instead of the terminal.
    pub(crate) redirects: Vec<Redirect>,
    /// Words that are no command's: those of `for` and `case`.
    pub(crate) data: Vec<Word>,
    /// Whether it stands in a loop, so that what comes behind it may also come before.
    pub(crate) repeated: bool,
}

/// A file in place of the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Redirect {
    pub(crate) writes: bool,
    pub(crate) target: Word,
}
