//! What is found in a conversation.

use crate::{Rule, Selection, select};
use attache_protocol::method::Side;

/// A line that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// Whose fault it is: who sent the line, or did not send what never came.
    pub by: Side,
    /// The number of the line that breaks it; at the end of a conversation that of the last line,
    /// for what never came.
    pub line: usize,
    /// An earlier line that it does not agree with.
    pub earlier: Option<usize>,
    /// What the line says, or what is missing, in one sentence.
    pub seen: String,
    /// Whether the line may be meant for another session, so that what it breaks in this one is no
    /// fault of its own (SESS-06).
    pub(crate) may_be_misplaced: bool,
}

/// What one line shows.
#[derive(Debug)]
pub(super) struct Report {
    line: usize,
    by: Side,
    findings: Vec<Finding>,
    tested: Vec<&'static str>,
}

impl Report {
    /// The report on a line that `by` sent, or at the end on what it did not send.
    pub(super) fn new(line: usize, by: Side) -> Self {
        Self { line, by, findings: Vec::new(), tested: Vec::new() }
    }

    /// The number of the line that is being judged.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// The line could break these rules: without a finding it shows that they are kept.
    ///
    /// What must not be sent at all is not told so: a line that was not sent shows little.
    pub(super) fn tests(&mut self, rules: &[&'static str]) {
        self.tested.extend(rules);
    }

    /// The line is put to the test by this rule, which it keeps if `holds`; else `seen` says how it
    /// breaks it.
    pub(super) fn keeps(&mut self, rule: &'static str, holds: bool, seen: impl FnOnce() -> String) {
        self.tests(&[rule]);
        if !holds {
            self.breaks(rule, seen());
        }
    }

    /// The same, if it breaks the rule together with an earlier line, where there is one.
    pub(super) fn agrees(
        &mut self,
        rule: &'static str,
        earlier: Option<usize>,
        seen: impl FnOnce() -> String,
    ) {
        self.tests(&[rule]);
        if let Some(earlier) = earlier {
            self.contradicts(rule, earlier, seen());
        }
    }

    /// The line breaks the rule with this id.
    pub(super) fn breaks(&mut self, rule: &str, seen: impl Into<String>) {
        self.push(rule, None, seen.into());
    }

    /// The same, together with an earlier line.
    pub(super) fn contradicts(&mut self, rule: &str, earlier: usize, seen: impl Into<String>) {
        self.push(rule, Some(earlier), seen.into());
    }

    /// The line shows that an earlier one of the other side broke the rule.
    pub(super) fn other_contradicts(
        &mut self,
        rule: &str,
        earlier: usize,
        seen: impl Into<String>,
    ) {
        self.push_by(self.by.other(), rule, Some(earlier), seen.into());
    }

    fn push(&mut self, rule: &str, earlier: Option<usize>, seen: String) {
        self.push_by(self.by, rule, earlier, seen);
    }

    fn push_by(&mut self, by: Side, rule: &str, earlier: Option<usize>, seen: String) {
        // The ids are those of this crate's own table; the tests cite each.
        if let Ok(Selection::Rule(rule)) = select(rule) {
            self.findings.push(Finding {
                rule,
                by,
                line: self.line,
                earlier,
                seen,
                may_be_misplaced: false,
            });
        }
    }

    /// The line names a session, and another one may be meant.
    pub(super) fn may_be_misplaced(&mut self) {
        for finding in self.findings.iter_mut().filter(|finding| finding.rule.id != "SESS-06") {
            finding.may_be_misplaced = true;
        }
    }

    /// The rules that were put to the test.
    pub(super) fn tested(&self) -> &[&'static str] {
        &self.tested
    }

    pub(super) fn into_findings(self) -> Vec<Finding> {
        self.findings
    }
}
