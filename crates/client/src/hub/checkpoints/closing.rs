//! What happens to checkpoints when a hub or a session is closed.

use super::owner::checkpoint_owner;
use super::running_take::RunningTake;
use crate::hub::hub_events::HubEvents as _;
use crate::hub::hub_shared::HubShared;
use crate::hub::session_entry::SessionEntry;
use crate::lock::lock;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// How long to wait until the end of a turn is processed that is over, or that was cancelled.
pub(super) const END_OF_TURN: Duration = Duration::from_secs(2);

/// How long closing a session waits for its checkpoints before it stops them.
const COMPLETING: Duration = Duration::from_secs(5);

/// How long an ended checkpoint may need to store what it has.
const STORING: Duration = Duration::from_secs(2);

impl HubShared {
    /// Waits for the checkpoints that are being taken. Those that are not complete after `patience`
    /// are stopped, and list what they lack. Those of unused sessions are stopped at once.
    pub(crate) async fn finish_takes(&self, patience: Duration) {
        let until = Instant::now() + END_OF_TURN;
        for entry in self.sessions() {
            entry.checkpoints.no_turn(until).await;
            let running = entry.checkpoints.close();
            if entry.checkpoints.turns() == 0 {
                running.iter().for_each(RunningTake::stop);
            }
        }
        let takes: Vec<RunningTake> = std::mem::take(&mut *lock(&self.takes));
        finish(takes, patience).await;
    }

    /// Waits for the checkpoints of a session that is being closed, that after its last turn
    /// included. Those that take too long are stopped. No further checkpoint is taken.
    pub(crate) async fn finish_takes_of(&self, entry: &SessionEntry) {
        entry.checkpoints.no_turn(Instant::now() + END_OF_TURN).await;
        let is_used = entry.checkpoints.turns() > 0;
        finish(entry.checkpoints.close(), if is_used { COMPLETING } else { Duration::ZERO }).await;
    }

    /// Stops the checkpoints that are being taken, without waiting.
    pub(crate) fn stop_takes(&self) {
        lock(&self.takes).iter().for_each(RunningTake::stop);
    }

    /// Deletes the checkpoints of a session that was never used: it is not stored, so nothing else
    /// would delete them. Has no effect while one is being taken.
    pub(crate) async fn forget_unused(&self, entry: &SessionEntry) {
        let Some(options) = self.checkpoint_options() else { return };
        if entry.checkpoints.turns() > 0 || self.is_of_shared_hub() {
            return;
        }
        if !entry.checkpoints.running().is_empty() {
            tracing::warn!("checkpoints of an unused session were not deleted: one is being taken");
            return;
        }
        let (store, owner) = (options.store, checkpoint_owner(&entry.agent.name, &entry.id));
        let forgetting = tokio::task::spawn_blocking(move || {
            let taken = store.list(Some(&owner))?;
            let is_unused = taken.iter().all(|summary| summary.label.turn.is_none());
            if is_unused { store.forget(&owner).map(drop) } else { Ok(()) }
        });
        if let Ok(Err(error)) = forgetting.await {
            tracing::warn!(%error, "checkpoints of an unused session were not deleted");
        }
    }
}

/// Waits for checkpoints. Those that are not complete after `patience` are stopped.
async fn finish(takes: Vec<RunningTake>, patience: Duration) {
    let until = Instant::now() + patience;
    for take in &takes {
        if timeout_at(until, take.clone().end()).await.is_err() {
            break;
        }
    }
    takes.iter().for_each(RunningTake::stop);
    for take in takes {
        drop(timeout_at(until + STORING, take.end()).await);
    }
}
