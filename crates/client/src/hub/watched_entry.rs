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
    let mut position = entry.fold.with(WatchPosition::end_of);
    position.revision = entry.revision.load(Ordering::Acquire);
    Watch::new(entry.clone(), wakeups, position)
}

/// Watches a session of a hub, starting at `position`.
pub(crate) fn watch_from(entry: &Arc<SessionEntry>, position: WatchPosition) -> Watch {
    let revision = entry.revision.load(Ordering::Acquire);
    Watch::new(entry.clone(), entry.fold.seen(), position.with_revision(revision))
}

impl Watched for SessionEntry {
    fn changes_since(&self, position: &WatchPosition) -> WatchUpdate {
        let revision = self.revision.load(Ordering::Acquire);
        let mut update = watched_session::changes_since(&self.fold, position);
        if revision != position.revision {
            update.changes.push(Change::Status(Box::new(self.status())));
        }
        update.position.revision = revision;
        update
    }

    fn is_over(&self) -> bool {
        self.state().closed
    }
}
