//! Runs the probes against an agent.

use crate::agent::probe;
use crate::agent::run::Run;
use crate::judging::probe_run::{self, RunEvent};
use crate::judging::verdict::Verdict;
use crate::rules::selection::Selection;
use attache_host::StartError;

impl Run {
    /// Judges the agent by every rule of the version that has a probe, or by the chosen rules, and
    /// returns the verdicts in the order of the rules. `report` receives the name of each probe
    /// before it runs, and each verdict as soon as it is known.
    ///
    /// If the agent does not answer `initialize`, or with another version, no probe runs.
    ///
    /// # Errors
    /// Returns an error if the agent cannot be started at all.
    pub async fn judge(
        &mut self,
        only: impl IntoIterator<Item = Selection>,
        report: impl FnMut(RunEvent<'_>),
    ) -> Result<Vec<Verdict>, StartError> {
        let first = (self.start)()?;
        let (seed, probes) = (self.seed, probe::of(self.version()));
        Ok(probe_run::judge(self, first, probes, only, seed, report).await)
    }
}
