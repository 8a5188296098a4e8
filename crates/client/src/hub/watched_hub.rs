//! Watching a hub.

use super::hub_shared::HubShared;
use crate::observe::change::Change;
use crate::observe::watch::{Watch, WatchUpdate, Watched};
use crate::observe::watch_position::WatchPosition;
use std::sync::{Arc, Weak};

/// A hub that may be dropped.
pub(crate) struct WatchedHub(Weak<HubShared>);

/// Watches a hub from now on.
pub(crate) fn watch(hub: &Arc<HubShared>) -> Watch {
    let mut wakeups = hub.notifier.listen();
    let revision = *wakeups.borrow_and_update();
    hub.sessions().iter().for_each(|session| session.mark.looked());
    hub.agents().iter().for_each(|agent| agent.mark.looked());
    hub.list_mark.looked();
    let position = WatchPosition::default().with_revision(revision);
    Watch::new(Arc::new(WatchedHub(Arc::downgrade(hub))), wakeups, position)
}

/// Returns the changes of a hub since `position`.
pub(crate) fn changes_since(hub: &HubShared, position: &WatchPosition) -> WatchUpdate {
    let mut update = WatchUpdate { position: position.clone(), ..WatchUpdate::default() };
    let (seen, now) = (position.revision, hub.notifier.now());
    if now <= seen {
        return update;
    }
    let sessions = hub.sessions().into_iter().filter(|session| session.mark.since(seen));
    update.changes.extend(sessions.map(|session| Change::Session {
        agent: session.agent.name.clone(),
        id: session.id.clone(),
    }));
    let agents = hub.agents().into_iter().filter(|agent| agent.mark.since(seen));
    update.changes.extend(agents.map(|agent| Change::Agent { name: agent.name.clone() }));
    if hub.list_mark.since(seen) {
        update.changes.push(Change::SessionList);
    }
    update.position.revision = now;
    update
}

impl Watched for WatchedHub {
    fn changes_since(&self, position: &WatchPosition) -> WatchUpdate {
        match self.0.upgrade() {
            Some(hub) => changes_since(&hub, position),
            None => WatchUpdate { position: position.clone(), ..WatchUpdate::default() },
        }
    }

    fn is_over(&self) -> bool {
        self.0.strong_count() == 0
    }
}
