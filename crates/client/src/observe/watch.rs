//! Watching a session or a hub.

use super::change::Change;
use super::watch_position::WatchPosition;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// Watches a session or a hub, starting at a position. A slow watcher costs no memory and misses no
/// final state, because changes are merged until it asks for them.
///
/// Returned by [`crate::SessionHandle::watch`], [`crate::HubSession::watch`] or
/// [`crate::Hub::watch`].
pub struct Watch {
    source: Arc<dyn Watched>,
    wakeups: watch::Receiver<u64>,
    position: WatchPosition,
    updated: Option<Instant>,
}

/// The changes since a position.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WatchUpdate {
    /// The changes, in order.
    pub changes: Vec<Change>,
    /// Whether a load replaced the known history. If so, discard the shown content: the changes
    /// then contain the whole session.
    pub replaced: bool,
    /// The position from which to ask next time.
    pub position: WatchPosition,
}

impl WatchUpdate {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && !self.replaced
    }
}

/// A thing that can be watched.
pub(crate) trait Watched: Send + Sync {
    /// Returns the changes since `position`. Later changes wake the watchers again.
    fn changes_since(&self, position: &WatchPosition) -> WatchUpdate;

    /// Whether no more changes will come.
    fn is_over(&self) -> bool;
}

impl Watch {
    /// Watches `source`, which increments `wakeups` when something changes.
    pub(crate) fn new(
        source: Arc<dyn Watched>,
        wakeups: watch::Receiver<u64>,
        position: WatchPosition,
    ) -> Self {
        Self { source, wakeups, position, updated: None }
    }

    /// Waits until something has changed since the last update, and returns the changes. Returns
    /// `None` after the last update, once the session's connection is over, the hub's session is
    /// closed, or the hub is dropped. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<WatchUpdate> {
        loop {
            self.arm();
            let over = self.source.is_over();
            let update = self.take();
            if !update.is_empty() {
                self.updated = Some(Instant::now());
                return Some(update);
            }
            if over || !self.changed().await {
                return None;
            }
        }
    }

    /// Waits like [`Watch::next`], but returns at most once per `interval` and merges the changes
    /// in between. The first change after a pause is returned at once.
    pub async fn next_within(&mut self, interval: Duration) -> Option<WatchUpdate> {
        if let Some(updated) = self.updated {
            tokio::time::sleep_until(updated + interval).await;
        }
        self.next().await
    }

    /// Waits until something may have changed since the watch was made, without computing the
    /// changes. Returns `false` once nothing will change. For a caller that reads a snapshot
    /// instead: it makes a new watch before each snapshot.
    pub async fn woken(mut self) -> bool {
        !self.source.is_over() && self.changed().await
    }

    /// The position of the last update: how far this watch has seen.
    pub fn position(&self) -> &WatchPosition {
        &self.position
    }

    /// Makes [`Watch::changed`] ignore the changes so far and wait for later ones.
    pub(crate) fn arm(&mut self) {
        self.wakeups.borrow_and_update();
    }

    /// Returns the changes since the last update; may be empty.
    pub(crate) fn take(&mut self) -> WatchUpdate {
        let update = self.source.changes_since(&self.position);
        self.position.clone_from(&update.position);
        update
    }

    /// Waits until something changes after the last call of [`Watch::arm`]; `false` if nothing
    /// will.
    pub(crate) async fn changed(&mut self) -> bool {
        self.wakeups.changed().await.is_ok()
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("position", &self.position).finish_non_exhaustive()
    }
}
