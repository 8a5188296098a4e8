//! What a person can do with the checkpoints of a session.

use super::checkpoint_error::CheckpointError;
use super::closing::END_OF_TURN;
use super::owner::checkpoint_owner;
use super::taking;
use crate::hub::hub_events::HubEvents as _;
use crate::hub::hub_session::HubSession;
use attache_checkpoint::{
    CheckpointId, Goal, Plan, Reason, RestoreControl, RestoreRequest, Restored, Restorer, Store,
    Summary,
};
use attache_session::{Session, TurnState};
use std::time::Duration;
use tokio::time::Instant;

/// Stops a plan that no one waits for.
struct StopOnDrop(RestoreControl);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl HubSession {
    /// The owner of the checkpoints of this session in their store.
    pub fn checkpoint_owner(&self) -> String {
        checkpoint_owner(&self.entry.agent.name, &self.entry.id)
    }

    /// Returns the checkpoints of this session, from the oldest to the newest. Those that are still
    /// being taken, or were taken only for a preview, are not among them:
    /// [`HubSession::wait_for_checkpoints`] waits for the former.
    ///
    /// # Errors
    /// Returns an error if no checkpoints are taken, or the store fails.
    pub async fn checkpoints(&self) -> Result<Vec<Summary>, CheckpointError> {
        let owner = self.checkpoint_owner();
        self.with_checkpoints(move |store| {
            let mut taken = store.list(Some(&owner))?;
            taken.retain(|summary| summary.label.reason != Reason::Asked);
            Ok(taken)
        })
        .await
    }

    /// Waits until the checkpoints that are being taken when it is called are stored, at most this
    /// long. Returns whether they are.
    pub async fn wait_for_checkpoints(&self, patience: Duration) -> bool {
        tokio::time::timeout(patience, self.running_takes_ended()).await.is_ok()
    }

    /// Waits for the checkpoints that are being taken, and for that after a turn which just ended.
    pub(super) async fn running_takes_ended(&self) {
        if !self.is_in_turn() {
            self.entry.checkpoints.no_turn(Instant::now() + END_OF_TURN).await;
        }
        for take in self.entry.checkpoints.running() {
            take.end().await;
        }
    }

    /// Returns what a restore would do, and changes nothing. Takes a checkpoint of the present
    /// first. Dropping the future stops that.
    ///
    /// # Errors
    /// Returns an error if no checkpoints are taken, or the checkpoint cannot be restored.
    pub async fn preview(&self, goal: Goal) -> Result<Plan, CheckpointError> {
        self.preview_request(RestoreRequest::new(self.checkpoint_owner(), goal)).await
    }

    /// Like [`HubSession::preview`], with a selection of files or hunks, and with choices for
    /// single files.
    ///
    /// # Errors
    /// Returns the same errors.
    pub async fn preview_request(
        &self,
        mut request: RestoreRequest,
    ) -> Result<Plan, CheckpointError> {
        request.is_running = self.is_in_turn();
        let stopping = StopOnDrop(RestoreControl::default());
        let control = stopping.0.clone();
        let plan =
            move |store: &_| Ok(Restorer::new(store).with_control(control).plan(&request)?);
        self.with_locked_folders(plan).await
    }

    /// Restores files as the preview said. Files that changed since the preview stay as they are.
    /// `control` stops the restore between two files: [`Restored::is_stopped`] then says so, and a
    /// new preview shows what remains. The restore continues if the future is dropped. It can be
    /// reverted: see [`HubSession::preview_undo`].
    ///
    /// # Errors
    /// Returns an error if a turn of this session is running, if the restore was stopped before its
    /// first file, or if nothing could be restored.
    pub async fn restore(
        &self,
        plan: Plan,
        control: &RestoreControl,
    ) -> Result<Restored, CheckpointError> {
        if self.is_in_turn() {
            return Err(CheckpointError::TurnRuns);
        }
        self.restore_now(plan, control).await
    }

    /// Returns what reverting the last restore would do; [`HubSession::restore`] does it.
    ///
    /// # Errors
    /// Returns an error if there is no restore to revert.
    pub async fn preview_undo(&self) -> Result<Plan, CheckpointError> {
        let owner = self.checkpoint_owner();
        let restores =
            self.with_checkpoints(move |store| Ok(Restorer::new(store).restores(&owner)?));
        match restores.await?.last() {
            Some(last) => self.preview(Goal::Undo(*last)).await,
            None => Err(CheckpointError::NoRestore),
        }
    }

    /// Returns the last checkpoint before a turn, which is the one to restore to undo the turn and
    /// those after it.
    ///
    /// # Errors
    /// Returns an error if no checkpoints are taken, or the store fails.
    pub async fn checkpoint_before(
        &self,
        turn: u64,
    ) -> Result<Option<CheckpointId>, CheckpointError> {
        let taken = self.checkpoints().await?;
        let is_of_turn = |it: &&Summary| it.label.turn == Some(turn);
        let before = taken.iter().rev().filter(is_of_turn);
        Ok(before
            .map(|it| (it.label.reason, it.id))
            .find_map(|(reason, id)| (reason == Reason::BeforePrompt).then_some(id)))
    }

    pub(super) async fn restore_now(
        &self,
        plan: Plan,
        control: &RestoreControl,
    ) -> Result<Restored, CheckpointError> {
        let known = self.checkpoints().await?.last().map(|it| it.id);
        let control = control.clone();
        let restore =
            move |store: &_| Ok(Restorer::new(store).with_control(control).restore(&plan)?);
        let restored = self.with_locked_folders(restore).await?;
        for summary in self.checkpoints().await?.iter().filter(|it| Some(it.id) > known) {
            taking::report(&self.entry, summary);
        }
        Ok(restored)
    }

    fn is_in_turn(&self) -> bool {
        self.entry.fold.with(Session::turn) != TurnState::Idle
    }

    /// Runs `work` while this hub takes no checkpoint of the folders of the session.
    async fn with_locked_folders<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store) -> Result<T, CheckpointError> + Send + 'static,
    ) -> Result<T, CheckpointError> {
        let hub = self.hub.upgrade().ok_or(CheckpointError::Closed)?;
        let options = hub.checkpoint_options().ok_or(CheckpointError::NotTaken)?;
        let roots = taking::roots(&self.entry, &options).await.ok_or(CheckpointError::NotTaken)?;
        let locks = hub.folder_locks();
        drop(hub);
        let alone = locks.lock(roots.paths()).await;
        // The locks are held until the work is done, even if the caller stops waiting.
        self.with_checkpoints(move |store| {
            let done = work(store);
            drop(alone);
            done
        })
        .await
    }

    pub(super) async fn with_checkpoints<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store) -> Result<T, CheckpointError> + Send + 'static,
    ) -> Result<T, CheckpointError> {
        let hub = self.hub.upgrade().ok_or(CheckpointError::Closed)?;
        let store = hub.checkpoint_options().ok_or(CheckpointError::NotTaken)?.store;
        drop(hub);
        let done = tokio::task::spawn_blocking(move || work(&store)).await;
        // An error means that this program ends.
        done.unwrap_or(Err(CheckpointError::Closed))
    }
}
