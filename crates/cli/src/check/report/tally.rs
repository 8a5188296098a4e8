//! Counts of findings.

use crate::say::counted;
use attache_check::Finding;
use std::collections::BTreeSet;

/// Counts findings.
#[derive(Default)]
pub(crate) struct Tally {
    /// The number of lines.
    pub(crate) lines: usize,
    /// The number of findings about mandatory rules.
    pub(crate) musts: usize,
    findings: usize,
    rules: BTreeSet<&'static str>,
    /// The versions of the connections, if later than 1.
    later: BTreeSet<u64>,
}

impl Tally {
    pub(crate) fn finding(&mut self, finding: &Finding) {
        self.findings += 1;
        self.musts += usize::from(finding.rule.must_hold());
        self.rules.insert(finding.rule.id);
    }

    /// Adds the protocol version of a connection.
    pub(crate) fn version(&mut self, version: Option<u64>) {
        self.later.extend(version.filter(|version| *version > 1));
    }

    pub(crate) fn sentence(&self) -> String {
        let parts = self.later.iter().map(|version| match version {
            2 => "Version 2 of the protocol is judged by JSON-RPC, the shapes of messages and \
                  the rules V2. "
                .to_owned(),
            _ => format!("In protocol version {version}, only JSON-RPC is judged. "),
        });
        parts.chain([self.counts()]).collect()
    }

    fn counts(&self) -> String {
        match self.findings {
            0 => format!("{}, and none of them breaks a rule.", counted(self.lines, "line")),
            findings => format!(
                "{}, {} about {}; mandatory: {}. `attache check rules ID` explains a rule.",
                counted(self.lines, "line"),
                counted(findings, "finding"),
                counted(self.rules.len(), "rule"),
                self.musts
            ),
        }
    }
}
