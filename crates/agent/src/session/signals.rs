//! The signals of a session for tasks that do not hold its lock.

use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::{Notify, watch};

/// The signals of one session, shared by its state and its handle.
pub(crate) struct SessionSignals {
    /// Notified when the title or the metadata changes and the client must be told.
    pub(crate) info_pending: Notify,
    /// The number of the first prompt that has no reply yet. That prompt may run.
    front: watch::Sender<Option<u64>>,
    /// Set while too much waits to be stored or sent.
    backlogged: AtomicBool,
}

impl SessionSignals {
    pub(crate) fn new() -> Self {
        Self {
            info_pending: Notify::new(),
            front: watch::Sender::new(None),
            backlogged: AtomicBool::new(false),
        }
    }

    pub(crate) fn set_front(&self, first: Option<u64>) {
        self.front.send_if_modified(|front| std::mem::replace(front, first) != first);
    }

    /// Waits until the prompt with this number is the first one without a reply; with `None`, until
    /// the reply to every accepted prompt is queued.
    pub(crate) async fn wait_for_front(&self, number: Option<u64>) {
        // The sender lives as long as `self`.
        let _ = self.front.subscribe().wait_for(|front| *front == number).await;
    }

    pub(crate) fn set_backlogged(&self, backlogged: bool) {
        self.backlogged.store(backlogged, Ordering::Relaxed);
    }

    pub(crate) fn is_backlogged(&self) -> bool {
        self.backlogged.load(Ordering::Relaxed)
    }
}
