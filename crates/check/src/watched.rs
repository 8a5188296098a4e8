//! What the traffic of all probes showed beside what they asked.

use crate::Finding;
use crate::raw_peer::{Line, RawPeer};
use crate::support::Support;
use crate::verdict::{Outcome, Verdict};
use attache_protocol::method::Side;
use std::collections::BTreeSet;
use std::time::Duration;

/// How much of a line is kept for people, in characters.
const LINE_KEPT: usize = 2000;

/// How many names under `_meta` are listed.
const NAMES: usize = 100;

/// What all of the traffic with one peer showed.
#[derive(Debug)]
pub(crate) struct Watched {
    /// Findings with the lines that show them, the first of each rule.
    found: Vec<(Finding, Vec<Line>)>,
    /// The rules that some line of the peer could have broken.
    open: BTreeSet<&'static str>,
    pub(crate) support: Support,
}

impl Watched {
    /// Nothing was seen yet of a peer that is this end.
    pub(crate) fn of(side: Side) -> Self {
        Self { found: Vec::new(), open: BTreeSet::new(), support: Support::of(side) }
    }

    /// Learns from a whole connection, in which an answer might take as long as `patience`. `went_well` says that the peer did not break it.
    pub(crate) fn learn(&mut self, peer: &mut RawPeer, patience: Duration, went_well: bool) {
        let owed = peer.owed(patience);
        self.support.learn(peer.lines(), went_well);
        self.open.extend(peer.tested());
        for finding in peer.findings().iter().chain(&owed) {
            let known = self.found.iter_mut().find(|(other, _)| other.rule.id == finding.rule.id);
            if let Some((known, _)) = known {
                add_name(known, finding);
            } else {
                let numbers = [finding.earlier, Some(finding.line)];
                let lines = peer.lines().iter().filter(|line| numbers.contains(&Some(line.number)));
                self.found.push((finding.clone(), lines.map(short).collect()));
            }
        }
    }

    /// A fail for each rule that a line of the peer broke.
    pub(crate) fn fails(&self) -> impl Iterator<Item = Verdict> {
        self.found.iter().map(|(finding, lines)| {
            let outcome =
                Outcome::Fail { expected: finding.rule.text.to_owned(), seen: finding.seen.clone() };
            let (grounds, lines) = (Verdict::WATCHING.into(), lines.clone());
            Verdict { rule: finding.rule, outcome, grounds, lines, took: Duration::ZERO }
        })
    }

    /// A fail for each rule that a line of the peer broke, a pass for each that one could have broken and none did.
    pub(crate) fn verdicts(&self) -> impl Iterator<Item = Verdict> {
        let passes = self
            .open
            .iter()
            .filter_map(|rule| Verdict::new(rule, Outcome::Pass, Verdict::WATCHING, Vec::new()));
        self.fails().chain(passes)
    }
}

/// Adds a further name under `_meta` to the finding about those names, one on a line: they are one fault, which people mend
/// name by name.
fn add_name(known: &mut Finding, finding: &Finding) {
    let names = known.seen.lines();
    if finding.rule.id == "META-07"
        && names.clone().count() < NAMES
        && names.into_iter().all(|name| name != finding.seen)
    {
        known.seen.push('\n');
        known.seen.push_str(&finding.seen);
    }
}

/// The line as it is kept for people.
pub(crate) fn short(line: &Line) -> Line {
    let text = match line.text.char_indices().nth(LINE_KEPT) {
        Some((end, _)) => format!("{}…", line.text.get(..end).unwrap_or_default()),
        None => line.text.clone(),
    };
    Line { text, value: None, ..line.clone() }
}
