//! Runs the probes against a client.

use crate::client::probe;
use crate::client::run::{ClientRun, ClientRunError, PROMPT};
use crate::judging::probe_run::{self, ProbeRun, RunEvent};
use crate::judging::verdict::Verdict;
use crate::rules::selection::Selection;

impl ClientRun {
    /// Judges the client by every rule that has a probe, or by the chosen rules, and returns the
    /// verdicts in the order of the rules. `report` receives the name of each probe before it runs,
    /// and each verdict as soon as it is known.
    ///
    /// If the client sends no prompt to a correct agent, no probe runs.
    ///
    /// # Errors
    /// Returns an error if the client cannot be started at all, or if it asks for a lower version
    /// than the one to judge.
    pub async fn judge(
        &mut self,
        only: impl IntoIterator<Item = Selection>,
        report: impl FnMut(RunEvent<'_>),
    ) -> Result<Vec<Verdict>, ClientRunError> {
        let task = self.task(PROMPT);
        let first = (self.start)(&task)?;
        let reached = self.reach(first).await;
        if let Some(asked) = self.lower_version().await {
            self.leave().await;
            return Err(ClientRunError::LowerVersion(asked));
        }
        let (seed, probes) = (self.seed, probe::of_version(self.version));
        Ok(probe_run::judge(self, reached, probes, only, seed, report).await)
    }
}
