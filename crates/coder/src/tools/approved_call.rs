//! A call that the policy has decided about, and its state in the client.

use super::coverage::Coverage;
use super::files::step::Step;
use super::prepared::Prepared;
use super::resolved_paths::ResolvedPaths;
use attache_agent::{NewToolCall, Result, ToolCallHandle};
use attache_policy::{Decision, Effect, Judge};
use attache_protocol::Raw;
use std::path::Path;

/// The decision about one call: what it covers, the places of the call's paths, and the policy's
/// verdict. It applies to this call only.
#[derive(Debug)]
pub(crate) struct Approval {
    pub(super) tool: String,
    pub(super) covers: Coverage,
    pub(super) paths: ResolvedPaths,
    pub(super) decision: Decision,
    /// Whether the person allowed the call.
    pub(super) by_person: bool,
}

impl Approval {
    /// The policy's decision. It is still "ask" after the person has allowed the call.
    pub(super) fn decision(&self) -> &Decision {
        &self.decision
    }

    /// The policy's current decision about what was approved. Blocks on disk I/O.
    pub(super) fn decided_now(&self, judge: &Judge<'_>) -> Decision {
        judge.decide(&self.tool, &self.covers.touch())
    }
}

/// A call that may run now, exactly as it was shown.
#[derive(Debug)]
pub(crate) struct ApprovedCall {
    pub(super) shown: Shown,
    /// The arguments as the model wrote them.
    pub(super) input: Raw,
    pub(super) approval: Approval,
    pub(super) prepared: Prepared,
}

/// Whether the client has seen the call.
#[derive(Debug)]
pub(super) enum Shown {
    New(NewToolCall),
    Announced(ToolCallHandle),
}

impl ApprovedCall {
    /// The call for the client, with the status pending.
    pub(super) async fn announce(self) -> Result<ToolCallHandle> {
        match self.shown {
            Shown::New(call) => call.announce().await,
            Shown::Announced(handle) => Ok(handle),
        }
    }

    /// Adds one of the call's files, if the client has not seen the call yet.
    pub(super) fn located_at(self, path: &Path, line: Option<u32>) -> Self {
        let shown = match self.shown {
            Shown::New(call) => Shown::New(call.location(path, line)),
            announced => announced,
        };
        Self { shown, ..self }
    }

    /// The call for the client, with the status running and the rest of its details.
    pub(super) async fn start(self) -> Result<(ToolCallHandle, Approval, Prepared)> {
        let handle = match self.shown {
            Shown::New(call) => call.start().await?,
            Shown::Announced(mut handle) => {
                handle.start().await?;
                handle
            }
        };
        Ok((handle, self.approval, self.prepared))
    }
}

impl Approval {
    pub(super) fn asks(&self) -> bool {
        self.decision.effect == Effect::Ask && !self.by_person
    }

    /// Checks that every step is possible and changes only files that the approval covers.
    ///
    /// # Errors
    /// Returns a sentence for the model and the person if a step cannot be made.
    pub(super) fn allows(&self, steps: &[Step]) -> std::result::Result<(), String> {
        steps.iter().try_for_each(Step::is_writable)?;
        match steps.iter().flat_map(Step::places).find(|place| !self.paths.hold(place)) {
            None => Ok(()),
            Some(place) => Err(format!("{} now leads to another file: try again", place.shown)),
        }
    }
}
