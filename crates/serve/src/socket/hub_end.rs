//! How a hub ends.

use crate::{Activity, SharedHub};
use attache_client::Watch;
use std::time::Duration;
use tokio::sync::watch;

/// How often the activity of a busy hub is looked at.
const INTERVAL: Duration = Duration::from_millis(250);

/// Why a hub ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// A client or a signal asked for it.
    Stop,
    /// A client asked for it, and the program starts again.
    Restart,
    /// No client is attached and no turn runs.
    Idle,
}

/// Says that a hub must end, and waits for that.
#[derive(Debug, Default)]
pub struct HubEnd(watch::Sender<Option<Ending>>);

impl HubEnd {
    /// Ends the hub. The first reason counts.
    pub fn end(&self, ending: Ending) {
        self.0.send_if_modified(|known| {
            let is_first = known.is_none();
            known.get_or_insert(ending);
            is_first
        });
    }

    /// Waits until the hub must end, and returns the reason.
    pub async fn ended(&self) -> Ending {
        let mut ended = self.0.subscribe();
        let ending = ended.wait_for(Option::is_some).await.ok().and_then(|ending| *ending);
        // The sender lives as long as this value, so there is a reason.
        ending.unwrap_or(Ending::Stop)
    }

    /// Ends the hub once no client has been attached and no turn has run for this long.
    pub async fn end_when_idle(&self, shared: &SharedHub, patience: Duration) {
        let mut clients = shared.client_count();
        loop {
            if clients.wait_for(|count| *count == 0).await.is_err() {
                return;
            }
            let mut watch = shared.hub.watch();
            while Activity::of(&shared.hub).turns() > 0 {
                if watch.next_within(INTERVAL).await.is_none() {
                    return;
                }
            }
            let is_used = async {
                tokio::select! {
                    changed = clients.changed() => drop(changed),
                    () = async {
                        while Activity::of(&shared.hub).turns() == 0 {
                            if watch.next_within(INTERVAL).await.is_none() {
                                return;
                            }
                        }
                    } => {}
                }
            };
            if tokio::time::timeout(patience, is_used).await.is_err() {
                return self.end(Ending::Idle);
            }
        }
    }
}

/// Waits until no session has an unfinished turn.
pub(super) struct TurnWait<'s> {
    shared: &'s SharedHub,
    watch: Watch,
    told: Option<(usize, usize)>,
}

impl<'s> TurnWait<'s> {
    pub(super) fn new(shared: &'s SharedHub) -> Self {
        Self { shared, watch: shared.hub.watch(), told: None }
    }

    /// Returns the activity when the number of unfinished turns has changed, and `None` when no
    /// turn is left.
    pub(super) async fn next(&mut self) -> Option<Activity> {
        loop {
            let activity = Activity::of(&self.shared.hub);
            if activity.turns() == 0 {
                return None;
            }
            let now = Some((activity.running, activity.waiting));
            if self.told != now {
                self.told = now;
                return Some(activity);
            }
            self.watch.next_within(INTERVAL).await?;
        }
    }
}
