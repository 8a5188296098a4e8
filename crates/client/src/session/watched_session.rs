//! Watches a session of a connection.

use crate::observe::session_changes::session_changes;
use crate::observe::watch::{Watch, WatchUpdate, Watched};
use crate::observe::watch_position::WatchPosition;
use crate::session::live_session::LiveSession;
use crate::session::session_fold::SessionFold;
use std::sync::Arc;

/// Returns the changes of a folded session since `position`; the whole session if a load replaced
/// its history.
pub(crate) fn changes_since(fold: &SessionFold, position: &WatchPosition) -> WatchUpdate {
    fold.looking();
    let session = fold.session();
    let mut position = position.clone();
    let replaced = session.generation() != position.generation;
    if replaced {
        position.restart(session.generation());
    }
    let changes = session_changes(&session, &mut position);
    WatchUpdate { changes, replaced, position }
}

/// Watches a session of a connection from now on.
pub(crate) fn watch(live: &Arc<LiveSession>) -> Watch {
    let wakeups = live.fold.seen();
    let position = live.fold.with(WatchPosition::end_of);
    Watch::new(live.clone(), wakeups, position)
}

impl Watched for LiveSession {
    fn changes_since(&self, position: &WatchPosition) -> WatchUpdate {
        changes_since(&self.fold, position)
    }

    fn is_over(&self) -> bool {
        LiveSession::is_over(self)
    }
}
