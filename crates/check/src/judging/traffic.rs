//! Findings in the traffic of all probes.

use crate::judging::support::Support;
use crate::judging::verdict::{Outcome, Verdict};
use crate::peer::line::Line;
use crate::peer::raw_peer::RawPeer;
use crate::{Finding, Rule};
use attache_protocol::method::Side;
use std::collections::BTreeSet;
use std::time::Duration;

/// The length limit of a line in a verdict, in characters.
const LINE_KEPT: usize = 2000;

/// The largest number of names under `_meta` that a finding lists.
const NAMES: usize = 100;

/// The reason why a line proves nothing about other rules.
const MIXED_UP: &str =
    "the peer confuses sessions, which breaks SESS-06, and this line may belong to another session";

/// The findings in all traffic with one peer.
#[derive(Debug)]
pub(crate) struct Traffic {
    /// The first finding of each rule, with its lines.
    found: Vec<(Finding, Vec<Line>)>,
    /// The rules that at least one line of the peer could have broken.
    open: BTreeSet<&'static str>,
    pub(crate) support: Support,
}

impl Traffic {
    /// Creates an empty record of a peer on this side.
    pub(crate) fn of(side: Side) -> Self {
        Self { found: Vec::new(), open: BTreeSet::new(), support: Support::of(side) }
    }

    /// Records a whole connection in which an answer may take `patience`. `went_well` means that
    /// the peer did not fail.
    pub(crate) fn learn(&mut self, peer: &mut RawPeer, patience: Duration, went_well: bool) {
        let owed = peer.unanswered_calls(patience);
        self.support.learn(peer.lines(), went_well);
        self.open.extend(peer.tested());
        for finding in peer.findings().iter().chain(&owed) {
            let shown = || {
                let numbers = [finding.earlier, Some(finding.line)];
                let lines = peer.lines().iter().filter(|line| numbers.contains(&Some(line.number)));
                (finding.clone(), lines.map(short).collect())
            };
            match self.found.iter_mut().find(|(other, _)| other.rule.id == finding.rule.id) {
                // A certain finding replaces an uncertain one.
                Some(known) if known.0.may_be_misplaced && !finding.may_be_misplaced => {
                    *known = shown()
                }
                Some((known, _)) => add_name(known, finding),
                None => self.found.push(shown()),
            }
        }
    }

    /// Returns a failure for each rule that a line of the peer certainly broke.
    pub(crate) fn fails(&self) -> impl Iterator<Item = Verdict> {
        self.found.iter().filter(|(finding, _)| !finding.may_be_misplaced).map(failed)
    }

    /// Returns a failure for each rule that a line of the peer broke, and a pass for each rule that
    /// a line could have broken but did not. If the peer confuses its sessions, a line that may
    /// belong to another session proves nothing.
    pub(crate) fn verdicts(&self, is_mixed_up: bool) -> impl Iterator<Item = Verdict> {
        let found = self.found.iter().filter_map(move |found| {
            match found.0.may_be_misplaced && is_mixed_up {
                true => {
                    let why = Outcome::NotTested(MIXED_UP.to_owned());
                    Verdict::new(found.0.rule.id, why, Verdict::WATCHING, found.1.clone())
                }
                false => Some(failed(found)),
            }
        });
        let is_found =
            |rule: &&&str| self.found.iter().any(|(finding, _)| finding.rule.id == **rule);
        let passes =
            self.open.iter().filter(move |rule| !is_found(rule)).filter_map(|rule| {
                Verdict::new(rule, Outcome::Pass, Verdict::WATCHING, Vec::new())
            });
        found.chain(passes)
    }
}

/// Returns the failure of a finding.
fn failed((finding, lines): &(Finding, Vec<Line>)) -> Verdict {
    let outcome = Outcome::Fail { expected: expected_by(finding.rule), seen: finding.seen.clone() };
    let (grounds, lines) = (Verdict::WATCHING.into(), lines.clone());
    Verdict { rule: finding.rule, outcome, grounds, lines, took: Duration::ZERO }
}

/// Returns the text of a rule for people. Adds `not` before it if the text only names a forbidden
/// act.
fn expected_by(rule: &Rule) -> String {
    let text = rule.text;
    let says_so = text.split_whitespace().any(|word| matches!(word, "not" | "no" | "never"));
    if rule.forbids() && !says_so { format!("not: {text}") } else { text.to_owned() }
}

/// Adds a name under `_meta` to the finding about such names. All such names together count as one
/// failure, but authors need the list to fix each name.
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

/// Returns the line in the form that verdicts contain.
pub(crate) fn short(line: &Line) -> Line {
    let text = match line.text.char_indices().nth(LINE_KEPT) {
        Some((end, _)) => format!("{}…", line.text.get(..end).unwrap_or_default()),
        None => line.text.clone(),
    };
    Line { text, value: None, ..line.clone() }
}
