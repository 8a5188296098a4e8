//! A mistake in a file of rules.

use std::fmt;
use std::path::Path;

/// A mistake in a file of rules, for the person to correct. Its `Display` is one sentence with the
/// file, the line and the rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFault {
    pub(super) file: String,
    pub(super) line: Option<usize>,
    pub(super) what: String,
}

impl RuleFault {
    pub(super) fn new(file: &Path, what: impl Into<String>) -> Self {
        Self { file: file.display().to_string(), line: None, what: what.into() }
    }

    /// The line on which the rule begins, counted from one; `None` if the file cannot be read at
    /// all.
    pub fn line(&self) -> Option<usize> {
        self.line
    }
}

impl fmt::Display for RuleFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}, line {line}: {}", self.file, self.what),
            None => write!(f, "{}: {}", self.file, self.what),
        }
    }
}

impl std::error::Error for RuleFault {}
