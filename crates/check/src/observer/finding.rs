//! Findings in a conversation.

use crate::{Rule, Selection, select};
use attache_protocol::method::Side;

/// A broken rule and the line that breaks it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// The side at fault: the sender of the line, or of the missing line.
    pub by: Side,
    /// The number of the line that breaks the rule. At the end of a conversation, the number of the
    /// last line.
    pub line: usize,
    /// An earlier line that this line contradicts.
    pub earlier: Option<usize>,
    /// A sentence about the line or about the missing line.
    pub seen: String,
    /// Whether the line may belong to another session. If so, the peer breaks SESS-06 instead.
    pub(crate) may_be_misplaced: bool,
}

/// The report on one line.
#[derive(Debug)]
pub(super) struct Report {
    line: usize,
    by: Side,
    findings: Vec<Finding>,
    tested: Vec<&'static str>,
}

impl Report {
    /// Creates the report on a line that `by` sent. At the end of a conversation, creates the
    /// report on missing lines of `by`.
    pub(super) fn new(line: usize, by: Side) -> Self {
        Self { line, by, findings: Vec::new(), tested: Vec::new() }
    }

    /// Returns the number of the current line.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// Records that the line could break these rules. If there is no finding on a rule, the line
    /// keeps it.
    ///
    /// Rules that forbid a message are not recorded, because the absence of a line proves little.
    pub(super) fn tests(&mut self, rules: &[&'static str]) {
        self.tested.extend(rules);
    }

    /// Judges the line by this rule. The line keeps the rule if `holds` is true. Otherwise `seen`
    /// describes the breach.
    pub(super) fn keeps(&mut self, rule: &'static str, holds: bool, seen: impl FnOnce() -> String) {
        self.tests(&[rule]);
        if !holds {
            self.breaks(rule, seen());
        }
    }

    /// Judges the line by this rule together with an earlier line.
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

    /// Reports that the line breaks the rule with this id.
    pub(super) fn breaks(&mut self, rule: &str, seen: impl Into<String>) {
        self.push(rule, None, seen.into());
    }

    /// Reports that the line breaks the rule together with an earlier line.
    pub(super) fn contradicts(&mut self, rule: &str, earlier: usize, seen: impl Into<String>) {
        self.push(rule, Some(earlier), seen.into());
    }

    /// Reports that an earlier line of the other side broke the rule.
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
        // Every id is in this crate's own table, as the tests show, so `select` succeeds.
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

    /// Records that the line may belong to a session other than the one it names.
    pub(super) fn may_be_misplaced(&mut self) {
        for finding in self.findings.iter_mut().filter(|finding| finding.rule.id != "SESS-06") {
            finding.may_be_misplaced = true;
        }
    }

    /// Returns the rules by which the line was judged.
    pub(super) fn tested(&self) -> &[&'static str] {
        &self.tested
    }

    pub(super) fn into_findings(self) -> Vec<Finding> {
        self.findings
    }
}
