//! Undoes the files of the last turn, for the command `/undo`.

use super::checkpoint_error::CheckpointError;
use crate::hub::hub_session::HubSession;
use attache_checkpoint::{
    Choices, Goal, KeptReason, Plan, PlannedFile, Reason, RestoreControl, RestoreRequest, Restored,
};
use std::fmt;

/// What `/undo` did. `Display` gives Markdown for the person.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct UndoneTurn {
    /// The first line of the prompt of the turn; `None` if there was nothing to undo.
    pub prompt: Option<String>,
    /// The files that were restored.
    pub restored: Vec<String>,
    /// The files that stayed as they were, each with the reason.
    pub kept: Vec<(String, String)>,
    /// Whether `/undo force` would restore some of them.
    pub can_force: bool,
}

impl HubSession {
    /// Undoes what the last turn that changed files did to them, whichever tool or command changed
    /// them. What others changed stays, also if a change cannot be merged, unless `is_forced`.
    /// Protected files stay in any case. `control` stops it between two files. Calling it again
    /// undoes the turn before.
    ///
    /// # Errors
    /// Returns an error if a turn of the session is running, no checkpoints are taken, or nothing
    /// could be restored.
    pub async fn undo_turn(
        &self,
        is_forced: bool,
        control: &RestoreControl,
    ) -> Result<UndoneTurn, CheckpointError> {
        let Some((prompt, plan)) = self.last_turn(is_forced).await? else {
            return Ok(UndoneTurn::default());
        };
        let restored = self.restore(plan.clone(), control).await?;
        Ok(UndoneTurn::of(prompt, &plan, &restored))
    }

    /// Like [`HubSession::undo_turn`], in the turn of a prompt that asked for it.
    pub(crate) async fn undo_turn_before(
        &self,
        is_forced: bool,
    ) -> Result<UndoneTurn, CheckpointError> {
        let Some((prompt, plan)) = self.last_turn(is_forced).await? else {
            return Ok(UndoneTurn::default());
        };
        let restored = self.restore_now(plan.clone(), &RestoreControl::default()).await?;
        Ok(UndoneTurn::of(prompt, &plan, &restored))
    }

    /// Returns the prompt of the last turn of which something remains, and the plan that undoes it.
    async fn last_turn(&self, is_forced: bool) -> Result<Option<(String, Plan)>, CheckpointError> {
        let taken = self.checkpoints().await?;
        let changed = taken
            .iter()
            .rev()
            .filter(|it| it.label.reason == Reason::AfterTurn && (it.changed > 0 || !it.complete));
        for turn in changed.filter_map(|it| it.label.turn) {
            let goal = Goal::Turns { first: turn, last: turn };
            let mut plan = self.preview(goal).await?;
            if is_forced {
                let mut request = RestoreRequest::new(self.checkpoint_owner(), goal);
                request.choices = Choices::forcing(&plan);
                plan = self.preview_request(request).await?;
            }
            let has_choice = |file: &PlannedFile| file.kept.is_some_and(KeptReason::has_choice);
            if plan.restored().next().is_none() && !plan.kept().any(has_choice) {
                continue;
            }
            let title = taken
                .iter()
                .rev()
                .find(|it| it.label.turn == Some(turn) && it.label.reason == Reason::BeforePrompt);
            return Ok(Some((title.map_or_else(String::new, |it| it.label.title.clone()), plan)));
        }
        Ok(None)
    }
}

impl UndoneTurn {
    fn of(prompt: String, plan: &Plan, restored: &Restored) -> Self {
        let kept = restored.kept.iter().map(|(path, why)| (path.to_string(), why.to_string()));
        let failed = restored.failed.iter().map(|it| (it.path.to_string(), it.message.clone()));
        let can_force = plan.kept().any(|file| {
            file.kept.is_some_and(|why| why.has_choice() && why != KeptReason::Protected)
        });
        Self {
            prompt: Some(prompt),
            restored: restored.done.iter().map(ToString::to_string).collect(),
            kept: kept.chain(failed).collect(),
            can_force,
        }
    }
}

impl fmt::Display for UndoneTurn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(prompt) = &self.prompt else {
            return f.write_str("There is nothing to undo: no turn has changed a file.\n");
        };
        match self.restored.len() {
            0 => writeln!(f, "No file of the turn “{prompt}” was reverted.")?,
            1 => writeln!(f, "1 file reverted to before the turn “{prompt}”:\n")?,
            count => writeln!(f, "{count} files reverted to before the turn “{prompt}”:\n")?,
        }
        self.restored.iter().try_for_each(|path| writeln!(f, "- `{path}`"))?;
        if !self.kept.is_empty() {
            writeln!(f, "\nNot reverted:\n")?;
        }
        self.kept.iter().try_for_each(|(path, why)| writeln!(f, "- `{path}`: {why}"))?;
        if self.can_force {
            writeln!(f, "\n`/undo force` reverts these files too, except protected ones.")?;
        }
        Ok(())
    }
}
