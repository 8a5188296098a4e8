//! Judges a peer: the first contact, the chosen probes, and all traffic.

use crate::judging::probe::{Probe, in_order_of_seed};
use crate::judging::traffic::Traffic;
use crate::judging::verdict::{Outcome, Probed, Verdict, worst_of_each};
use crate::peer::line::Line;
use crate::rules::selection::is_chosen;
use crate::{Judged, Selection, faults};
use std::collections::BTreeSet;
use std::time::Instant;

/// The name of the step before all probes.
const FIRST_CONTACT: &str = "first_contact";

/// An event of a run.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunEvent<'r> {
    /// A probe begins.
    Probe {
        /// The name of the probe.
        name: &'static str,
        /// The number of the probe, counted from 1. The first contact has the number 0.
        number: usize,
        /// The number of probes.
        of: usize,
    },
    /// A probe or the traffic produced a verdict.
    Verdict {
        /// The verdict, with secrets masked.
        verdict: &'r Verdict,
        /// Whether this verdict is final. Every rule gets exactly one final verdict, unless the run
        /// is dropped first.
        is_final: bool,
    },
}

/// A run of probes against one peer.
pub(crate) trait ProbeRun: Sized + 'static {
    /// The started peer for the first contact.
    type First: Send;

    /// The rule that an unreachable peer breaks.
    const REACHED: &'static str;

    /// The reason why other rules are not tested if the peer is unreachable.
    const NOT_REACHED: &'static str;

    /// Returns the rule that an unreachable peer breaks.
    fn reached(&self) -> &'static str {
        Self::REACHED
    }

    /// Returns the outcome of every probe after this failed first contact.
    fn not_reached(&self, contact: &Outcome) -> Outcome {
        Outcome::NotTested(format!("{}: {}", Self::NOT_REACHED, contact.seen()))
    }

    /// Makes the first contact with the peer, which all probes need.
    fn first_contact(&mut self, first: Self::First) -> impl Future<Output = Probed> + Send;

    /// Runs one probe and then restores the state for the next one.
    fn probe(&mut self, probe: &Probe<Self>) -> impl Future<Output = Option<Verdict>> + Send;

    /// Ends the peer.
    fn leave(&mut self) -> impl Future<Output = ()> + Send;

    /// Returns the last lines of the conversation.
    fn shown(&self) -> Vec<Line>;

    /// Returns the findings of the observer in the traffic.
    fn watched(&self) -> &Traffic;
}

/// Judges the peer: makes the first contact, runs the probes, and reads the findings in all
/// traffic. `only` selects the rules to probe; all are probed if it is empty. `seed` determines the
/// order of the probes. Returns one verdict per rule, in the order of the rules. `report` receives
/// each verdict as soon as it is known.
pub(crate) async fn judge<R: ProbeRun>(
    run: &mut R,
    first: R::First,
    probes: impl Iterator<Item = &'static Probe<R>>,
    only: impl IntoIterator<Item = Selection>,
    seed: u64,
    report: impl FnMut(RunEvent<'_>),
) -> Vec<Verdict> {
    let only: Vec<Selection> = only.into_iter().collect();
    let chosen = probes.filter(|probe| is_chosen(&only, probe.rule)).collect();
    let chosen = in_order_of_seed(chosen, seed);
    let mut reporter = Reporter::new(chosen.iter().map(|probe| probe.rule), report);
    reporter.probe(FIRST_CONTACT, 0, chosen.len());
    let contact = run.first_contact(first).await;
    let shown = run.shown();
    let mut verdicts = Vec::new();
    for (number, probe) in (1..).zip(&chosen) {
        reporter.probe(probe.name, number, chosen.len());
        let began = Instant::now();
        let verdict = match &contact {
            Ok(()) => run.probe(probe).await,
            Err(outcome) => {
                Verdict::new(probe.rule, run.not_reached(outcome), probe.name, Vec::new())
            }
        };
        let verdict = verdict.map(|verdict| Verdict { took: began.elapsed(), ..verdict }.masked());
        let seen = run.watched().fails().filter(|verdict| is_chosen(&only, verdict.rule.id));
        reporter.fails(seen);
        reporter.probed(number, verdict.as_ref());
        verdicts.extend(verdict);
    }
    run.leave().await;
    let unreached = contact.as_ref().err().map(|outcome| run.not_reached(outcome));
    let is_mixed_up = verdicts
        .iter()
        .cloned()
        .chain(run.watched().fails())
        .any(|verdict| confuses_sessions(&verdict));
    let seen =
        run.watched().verdicts(is_mixed_up).filter(|verdict| is_chosen(&only, verdict.rule.id));
    // The few lines of an unreachable peer do not prove that it keeps a rule.
    let seen = seen.map(|verdict| match (&verdict.outcome, &unreached) {
        (Outcome::Pass, Some(why)) => Verdict { outcome: why.clone(), ..verdict },
        _ => verdict,
    });
    verdicts.extend(seen.map(Verdict::masked));
    // Always include the verdict on a failed first contact, because the run has no other failure to
    // show.
    let contact = contact
        .err()
        .and_then(|outcome| Verdict::new(run.reached(), outcome, FIRST_CONTACT, shown));
    verdicts.extend(contact.map(Verdict::masked));
    let verdicts = worst_of_each(verdicts);
    reporter.rest(&verdicts);
    verdicts
}

/// Whether this verdict says that the peer confuses sessions.
fn confuses_sessions(verdict: &Verdict) -> bool {
    verdict.rule.id == "SESS-06" && verdict.outcome.is_fail()
}

/// Reports verdicts, and the final verdict of each rule exactly once.
struct Reporter<F> {
    report: F,
    /// The rules of the probes, in their order.
    rules: Vec<&'static str>,
    /// The rules that traffic may still break.
    watched: BTreeSet<&'static str>,
    /// The rules whose final verdict was reported.
    settled: BTreeSet<&'static str>,
    /// The verdicts on rules without a final verdict.
    open: Vec<Verdict>,
}

impl<F: FnMut(RunEvent<'_>)> Reporter<F> {
    fn new(rules: impl Iterator<Item = &'static str>, report: F) -> Self {
        let watched =
            faults().iter().filter(|fault| fault.judged == Judged::Traffic).map(|fault| fault.rule);
        let (rules, watched) = (rules.collect(), watched.collect());
        Self { report, rules, watched, settled: BTreeSet::new(), open: Vec::new() }
    }

    fn probe(&mut self, name: &'static str, number: usize, of: usize) {
        (self.report)(RunEvent::Probe { name, number, of });
    }

    fn settle(&mut self, verdict: &Verdict) {
        if self.settled.insert(verdict.rule.id) {
            (self.report)(RunEvent::Verdict { verdict, is_final: true });
        }
    }

    /// Reports failures, which are final.
    fn fails(&mut self, verdicts: impl Iterator<Item = Verdict>) {
        verdicts.for_each(|verdict| self.settle(&verdict.masked()));
    }

    /// Handles the verdict of the probe with this number.
    fn probed(&mut self, number: usize, verdict: Option<&Verdict>) {
        let Some(verdict) = verdict else { return };
        if verdict.outcome.is_fail() {
            return self.settle(verdict);
        }
        let rule = verdict.rule.id;
        if self.settled.contains(rule) {
            return;
        }
        self.open.push(verdict.clone());
        let is_probed_again = self.rules.iter().skip(number).any(|later| *later == rule);
        if is_probed_again || self.watched.contains(rule) {
            (self.report)(RunEvent::Verdict { verdict, is_final: false });
        } else {
            let (of_rule, open) =
                self.open.drain(..).partition(|known: &Verdict| known.rule.id == rule);
            self.open = open;
            worst_of_each(of_rule).iter().for_each(|verdict| self.settle(verdict));
        }
    }

    /// Reports the remaining verdicts at the end of the run.
    fn rest(&mut self, verdicts: &[Verdict]) {
        verdicts.iter().for_each(|verdict| self.settle(verdict));
    }
}
