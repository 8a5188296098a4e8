//! What a person decides about the changes of turns.

use super::checkpoint_error::CheckpointError;
use crate::hub::hub_session::HubSession;
use attache_checkpoint::{HunkKey, Plan, RestoreControl, Restored, Review, Reviewer};
use std::collections::BTreeSet;

impl HubSession {
    /// Returns what the turns from `first` to `last` changed, by file and hunk, whichever tool or
    /// command changed it, with what the person decided earlier. From 1 to [`u64::MAX`], it is the
    /// whole session. Waits for the checkpoints that are being taken when it is called.
    ///
    /// # Errors
    /// Returns an error if no checkpoints are taken, or no checkpoints of the turns are stored.
    pub async fn review(&self, first: u64, last: u64) -> Result<Review, CheckpointError> {
        self.running_takes_ended().await;
        let owner = self.checkpoint_owner();
        self.with_checkpoints(move |store| {
            Ok(Reviewer::new(store).review(&owner, (first, last), false)?)
        })
        .await
    }

    /// Accepts hunks of a review. The decision is stored.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    pub async fn accept_hunks(
        &self,
        review: Review,
        hunks: BTreeSet<HunkKey>,
    ) -> Result<(), CheckpointError> {
        self.with_checkpoints(move |store| Ok(Reviewer::new(store).accept(&review, &hunks)?)).await
    }

    /// Takes back the decision to accept hunks.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    pub async fn reopen_hunks(
        &self,
        review: Review,
        hunks: BTreeSet<HunkKey>,
    ) -> Result<(), CheckpointError> {
        self.with_checkpoints(move |store| Ok(Reviewer::new(store).reopen(&review, &hunks)?)).await
    }

    /// Stores a comment about a hunk; an empty one removes it.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    pub async fn comment_hunk(
        &self,
        review: Review,
        hunk: HunkKey,
        comment: String,
    ) -> Result<(), CheckpointError> {
        let keep = move |store: &_| Ok(Reviewer::new(store).comment(&review, &hunk, &comment)?);
        self.with_checkpoints(keep).await
    }

    /// Returns what rejecting hunks would do to the files; [`HubSession::reject_hunks`] does it.
    ///
    /// # Errors
    /// Returns the same errors as [`HubSession::preview`].
    pub async fn preview_rejection(
        &self,
        review: &Review,
        hunks: BTreeSet<HunkKey>,
    ) -> Result<Plan, CheckpointError> {
        self.preview_request(review.rejection(hunks)).await
    }

    /// Rejects hunks: reverts them in the files as the preview said, and stores the decision.
    /// [`HubSession::preview_undo`] reverts that like any restore, and `control` stops it like one.
    ///
    /// # Errors
    /// Returns the same errors as [`HubSession::restore`].
    pub async fn reject_hunks(
        &self,
        review: Review,
        plan: Plan,
        control: &RestoreControl,
    ) -> Result<Restored, CheckpointError> {
        let restored = self.restore(plan.clone(), control).await?;
        self.with_checkpoints(move |store| {
            Reviewer::new(store).rejected(&review, &plan, &restored)?;
            Ok(restored)
        })
        .await
    }

    /// Tells the agent at the beginning of the next prompt which hunks the person rejected or
    /// commented, unless it was told before. Returns whether there is anything to tell. The text is
    /// stored with the session.
    ///
    /// # Errors
    /// Returns an error if the store of checkpoints fails.
    pub async fn tell_decisions(&self) -> Result<bool, CheckpointError> {
        let owner = self.checkpoint_owner();
        let of = owner.clone();
        let feedback = move |store: &_| Ok(Reviewer::new(store).feedback(&of)?);
        let Some(text) = self.with_checkpoints(feedback).await? else { return Ok(false) };
        let earlier = self.next_prompt_note();
        self.add_to_next_prompt(earlier.into_iter().chain([text]).collect::<Vec<_>>().join("\n\n"));
        // The decisions count as told only once the text is stored. If that fails, a notice says
        // so, and the text is sent from memory.
        drop(self.commit().await);
        self.with_checkpoints(move |store| Ok(Reviewer::new(store).told(&owner)?)).await?;
        Ok(true)
    }
}
