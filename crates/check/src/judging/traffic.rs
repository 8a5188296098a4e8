//! What the traffic of all probes showed beside what they asked.

use crate::judging::support::Support;
use crate::judging::verdict::{Outcome, Verdict};
use crate::peer::line::Line;
use crate::peer::raw_peer::RawPeer;
use crate::{Finding, Rule};
use attache_protocol::method::Side;
use std::collections::BTreeSet;
use std::time::Duration;

/// How much of a line is kept for people, in characters.
const LINE_KEPT: usize = 2000;

/// How many names under `_meta` are listed.
const NAMES: usize = 100;

/// Why a line tells nothing about other rules.
const MIXED_UP: &str = "the peer names the wrong session, as SESS-06 tells, and this line may be meant for another one";

/// What all of the traffic with one peer showed.
#[derive(Debug)]
pub(crate) struct Traffic {
    /// Findings with the lines that show them, the first of each rule.
    found: Vec<(Finding, Vec<Line>)>,
    /// The rules that some line of the peer could have broken.
    open: BTreeSet<&'static str>,
    pub(crate) support: Support,
}

impl Traffic {
    /// Nothing was seen yet of a peer that is this end.
    pub(crate) fn of(side: Side) -> Self {
        Self { found: Vec::new(), open: BTreeSet::new(), support: Support::of(side) }
    }

    /// Learns from a whole connection, in which an answer might take as long as `patience`.
    /// `went_well` says that the peer did not break it.
    pub(crate) fn learn(&mut self, peer: &mut RawPeer, patience: Duration, went_well: bool) {
        let owed = peer.owed(patience);
        self.support.learn(peer.lines(), went_well);
        self.open.extend(peer.tested());
        for finding in peer.findings().iter().chain(&owed) {
            let shown = || {
                let numbers = [finding.earlier, Some(finding.line)];
                let lines = peer.lines().iter().filter(|line| numbers.contains(&Some(line.number)));
                (finding.clone(), lines.map(short).collect())
            };
            match self.found.iter_mut().find(|(other, _)| other.rule.id == finding.rule.id) {
                // What is certain counts before what is not.
                Some(known) if known.0.may_be_misplaced && !finding.may_be_misplaced => {
                    *known = shown()
                }
                Some((known, _)) => add_name(known, finding),
                None => self.found.push(shown()),
            }
        }
    }

    /// A fail for each rule that a line of the peer certainly broke.
    pub(crate) fn fails(&self) -> impl Iterator<Item = Verdict> {
        self.found.iter().filter(|(finding, _)| !finding.may_be_misplaced).map(failed)
    }

    /// A fail for each rule that a line of the peer broke, a pass for each that one could have
    /// broken and none did. Where the peer mixes up its sessions, a line that may be meant for
    /// another one tells nothing.
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

/// The fail that a finding shows.
fn failed((finding, lines): &(Finding, Vec<Line>)) -> Verdict {
    let outcome = Outcome::Fail { expected: expected_by(finding.rule), seen: finding.seen.clone() };
    let (grounds, lines) = (Verdict::WATCHING.into(), lines.clone());
    Verdict { rule: finding.rule, outcome, grounds, lines, took: Duration::ZERO }
}

/// What a rule wants to be seen, for people: its text, with `not` before it where it names the act
/// that is forbidden.
fn expected_by(rule: &Rule) -> String {
    let text = rule.text;
    let says_so = text.split_whitespace().any(|word| matches!(word, "not" | "no" | "never"));
    if rule.forbids() && !says_so { format!("not: {text}") } else { text.to_owned() }
}

/// Adds a further name under `_meta` to the finding about those names, one on a line: they are one
/// fault, which people mend name by name.
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
