//! How a peer is judged: a first contact, the probes that were chosen, and what the traffic of all of it showed.

use crate::Selection;
use crate::probe::{Probe, in_order_of_seed};
use crate::raw_peer::Line;
use crate::select::is_chosen;
use crate::verdict::{Outcome, Probed, Verdict, worst_of_each};
use crate::watched::Watched;
use std::time::Instant;

/// The name of what is done before any probe.
const FIRST_CONTACT: &str = "first_contact";

/// A run over one peer, which probes lead.
pub(crate) trait Judging: Sized + 'static {
    /// What was started for the first contact.
    type First: Send;

    /// The rule that a peer breaks which cannot be reached.
    const REACHED: &'static str;

    /// Why nothing else can be told of it, in words.
    const NOT_REACHED: &'static str;

    /// Reaches the peer: without that there is nothing to judge.
    fn first_contact(&mut self, first: Self::First) -> impl Future<Output = Probed> + Send;

    /// Runs one probe. What it left behind does not reach the next one.
    fn probe(&mut self, probe: &Probe<Self>) -> impl Future<Output = Option<Verdict>> + Send;

    /// Ends the peer.
    fn leave(&mut self) -> impl Future<Output = ()> + Send;

    /// The last lines of the conversation, for people.
    fn shown(&self) -> Vec<Line>;

    /// What was seen beside what was asked.
    fn watched(&self) -> &Watched;
}

/// Judges by the first contact, by those of `probes` whose rules are among `only` (all if there are none), in the order of `seed`, and by the
/// traffic of it all. One verdict a rule, in the order of the rules. `progress` is told before each probe its name, its number and how many there are.
pub(crate) async fn judge<R: Judging>(
    run: &mut R,
    first: R::First,
    probes: impl Iterator<Item = &'static Probe<R>>,
    only: impl IntoIterator<Item = Selection>,
    seed: u64,
    mut progress: impl FnMut(&'static str, usize, usize),
) -> Vec<Verdict> {
    let only: Vec<Selection> = only.into_iter().collect();
    let chosen = probes.filter(|probe| is_chosen(&only, probe.rule)).collect();
    let chosen = in_order_of_seed(chosen, seed);
    progress(FIRST_CONTACT, 0, chosen.len());
    let contact = run.first_contact(first).await;
    let shown = run.shown();
    let mut verdicts = Vec::new();
    for (number, probe) in (1..).zip(&chosen) {
        progress(probe.name, number, chosen.len());
        let began = Instant::now();
        let verdict = match &contact {
            Ok(()) => run.probe(probe).await,
            Err(outcome) => {
                let why = Outcome::NotTested(format!("{}: {}", R::NOT_REACHED, outcome.seen()));
                Verdict::new(probe.rule, why, probe.name, Vec::new())
            }
        };
        verdicts.extend(verdict.map(|verdict| Verdict { took: began.elapsed(), ..verdict }));
    }
    run.leave().await;
    let contact = contact.err().and_then(|outcome| Verdict::new(R::REACHED, outcome, FIRST_CONTACT, shown));
    let seen = contact.into_iter().chain(run.watched().verdicts());
    verdicts.extend(seen.filter(|verdict| is_chosen(&only, verdict.rule.id)));
    worst_of_each(verdicts)
}
