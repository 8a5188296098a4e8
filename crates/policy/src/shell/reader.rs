//! Reads the characters of a line.

use super::part::Part;

/// Why a line cannot be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NotUnderstood(pub(crate) &'static str);

pub(super) type Result<T> = std::result::Result<T, NotUnderstood>;

/// What ends a list of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Terminator {
    Line,
    Parenthesis,
    Case,
    Word(&'static str),
}

pub(super) struct HereDocument {
    pub(super) end: String,
    pub(super) literal: bool,
    pub(super) without_tabs: bool,
}

/// The state of reading one line.
pub(super) struct Reader {
    pub(super) characters: Vec<char>,
    pub(super) at: usize,
    pub(super) depth: usize,
    pub(super) parts: Vec<Part>,
    /// The here-documents whose text begins on the next line.
    pub(super) here: Vec<HereDocument>,
}

impl Reader {
    pub(super) fn new(line: &str, depth: usize) -> Self {
        Self {
            characters: line.chars().collect(),
            at: 0,
            depth,
            parts: Vec::new(),
            here: Vec::new(),
        }
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.ahead(0)
    }

    pub(super) fn ahead(&self, by: usize) -> Option<char> {
        self.characters.get(self.at + by).copied()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += 1;
        Some(next)
    }

    pub(super) fn takes(&mut self, wanted: &str) -> bool {
        let there = wanted.chars().zip(0..).all(|(each, by)| self.ahead(by) == Some(each));
        if there {
            self.at += wanted.len();
        }
        there
    }

    /// Skips blanks, line continuations and a comment.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t') => self.at += 1,
                Some('\\') if self.ahead(1) == Some('\n') => self.at += 2,
                Some('#') => {
                    while self.peek().is_some_and(|each| each != '\n') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }
}
