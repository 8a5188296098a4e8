//! A checkpoint that is being taken.

use crate::race::{Raced, race};
use attache_checkpoint::TakeControl;
use std::future::Future;
use std::sync::Arc;
use tokio::sync::watch;

/// A checkpoint that is being taken.
#[derive(Clone)]
pub(crate) struct RunningTake {
    control: Arc<TakeControl>,
    /// Whether it was stopped.
    stopped: watch::Sender<bool>,
    /// Its sender is dropped when the checkpoint has ended.
    ended: watch::Receiver<()>,
}

impl RunningTake {
    /// Returns a checkpoint that has ended once the sender is dropped.
    pub(crate) fn new() -> (Self, watch::Sender<()>) {
        let (sender, ended) = watch::channel(());
        (Self { control: Arc::default(), stopped: watch::Sender::new(false), ended }, sender)
    }

    /// What the thread that reads the files learns of meanwhile.
    pub(super) fn control(&self) -> &Arc<TakeControl> {
        &self.control
    }

    /// Stops it soon. If it has not begun to read files, it is not taken; otherwise, it lists what
    /// it lacks.
    pub(crate) fn stop(&self) {
        self.control.stop();
        self.stopped.send_replace(true);
    }

    /// Waits for `work`; `None` once the checkpoint is stopped.
    pub(crate) async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut stopped = self.stopped.subscribe();
        // The sender lives as long as this function, so the wait does not fail.
        match race(stopped.wait_for(|is_stopped| *is_stopped), work).await {
            Raced::First(_) => None,
            Raced::Second(done) => Some(done),
        }
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.has_changed().is_err()
    }

    /// Waits until the checkpoint has ended.
    pub(crate) async fn end(mut self) {
        while self.ended.changed().await.is_ok() {}
    }
}
