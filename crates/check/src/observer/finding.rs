//! What is found in a conversation.

use crate::{Rule, Selection, select};

/// A line that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// The number of the line that breaks it; at the end of a conversation that of the last line, for what never came.
    pub line: usize,
    /// An earlier line that it does not agree with.
    pub earlier: Option<usize>,
    /// What the line says, or what is missing, in one sentence.
    pub seen: String,
}

/// The findings of one line.
#[derive(Debug)]
pub(super) struct Report {
    line: usize,
    findings: Vec<Finding>,
}

impl Report {
    pub(super) fn new(line: usize) -> Self {
        Self { line, findings: Vec::new() }
    }

    /// The number of the line that is being judged.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// The line breaks the rule with this id.
    pub(super) fn breaks(&mut self, rule: &str, seen: impl Into<String>) {
        self.push(rule, None, seen.into());
    }

    /// The same, together with an earlier line.
    pub(super) fn contradicts(&mut self, rule: &str, earlier: usize, seen: impl Into<String>) {
        self.push(rule, Some(earlier), seen.into());
    }

    fn push(&mut self, rule: &str, earlier: Option<usize>, seen: String) {
        // The ids are those of this crate's own table; the tests cite each.
        if let Ok(Selection::Rule(rule)) = select(rule) {
            self.findings.push(Finding { rule, line: self.line, earlier, seen });
        }
    }

    pub(super) fn into_findings(self) -> Vec<Finding> {
        self.findings
    }
}
