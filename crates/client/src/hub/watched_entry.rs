//! Watching a session of a hub.

use super::session_entry::SessionEntry;
use crate::observe::change::Change;
use crate::observe::watch::{Watch, WatchUpdate, Watched};
use crate::observe::watch_position::WatchPosition;
use crate::session::watched_session;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Watches a session of a hub from now on. Outlives the agent.
pub(crate) fn watch(entry: &Arc<SessionEntry>) -> Watch {
    let wakeups = entry.fold.seen();
    // The caller may read a snapshot next, instead of the changes.
    entry.fold.looking();
    let position = entry.fold.with(WatchPosition::end_of);
    Watch::new(entry.clone(), wakeups, now(entry, position))
}

/// Watches a session of a hub, starting at `position`.
pub(crate) fn watch_from(entry: &Arc<SessionEntry>, position: WatchPosition) -> Watch {
    Watch::new(entry.clone(), entry.fold.seen(), now(entry, position))
}

/// The position with all that is outside of the session's fold as seen.
fn now(entry: &SessionEntry, position: WatchPosition) -> WatchPosition {
    let position = position.with_revision(entry.revision.load(Ordering::Acquire));
    #[cfg(feature = "checkpoints")]
    let position = position.with_checkpoints(entry.checkpoints.since(u64::MAX).1);
    position
}

impl Watched for SessionEntry {
    fn changes_since(&self, position: &WatchPosition) -> WatchUpdate {
        let revision = self.revision.load(Ordering::Acquire);
        let mut update = watched_session::changes_since(&self.fold, position);
        if revision != position.revision {
            update.changes.push(Change::Status(Box::new(self.status())));
        }
        #[cfg(feature = "checkpoints")]
        {
            let (checkpoints, last) = self.checkpoints.since(position.checkpoints);
            update.changes.extend(checkpoints.into_iter().map(Change::Checkpoint));
            update.position.checkpoints = last;
        }
        update.position.revision = revision;
        update
    }

    fn is_over(&self) -> bool {
        self.state().closed
    }
}
