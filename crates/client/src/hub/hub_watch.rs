//! Watching a hub, or one session of it.

use super::hub_agent::HubAgent;
use super::hub_session::HubSession;
use super::hub_shared::HubShared;
use super::session_entry::SessionEntry;
use crate::observe::watch::{Look, Looks};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// Watches one session of a hub. However slowly it is looked at, it misses no final state and costs
/// no memory.
pub struct SessionWatch {
    entry: Arc<SessionEntry>,
    looks: Looks,
    revision: u64,
    looked: Option<Instant>,
}

impl SessionWatch {
    pub(crate) fn new(entry: Arc<SessionEntry>) -> Self {
        let looks = Looks::from_now(&entry.fold);
        let revision = entry.revision.load(Ordering::Acquire);
        Self { entry, looks, revision, looked: None }
    }

    /// Waits until something changed since the look before, and looks. The changes of the fold may
    /// be none: then something else changed, such as [`HubSession::state`], the queue, the draft or
    /// the questions. `None` once the session is closed and everything was told. Losing the future
    /// loses nothing.
    pub async fn next(&mut self) -> Option<Look> {
        loop {
            let closed = self.entry.state().closed;
            let revision = self.entry.revision.load(Ordering::Acquire);
            let look = self.looks.look(&self.entry.fold);
            let changed = std::mem::replace(&mut self.revision, revision) != revision;
            if changed || look.replaced || !look.changes.parts.is_empty() {
                self.looked = Some(Instant::now());
                return Some(look);
            }
            if closed || !self.looks.changed().await {
                return None;
            }
        }
    }

    /// The same, at most once in `interval`: what changes faster is told together. The first change
    /// after a rest is told at once.
    pub async fn next_within(&mut self, interval: Duration) -> Option<Look> {
        rest(self.looked, interval).await;
        self.next().await
    }
}

/// Waits until `interval` is over since the last look.
async fn rest(looked: Option<Instant>, interval: Duration) {
    if let Some(looked) = looked {
        tokio::time::sleep_until(looked + interval).await;
    }
}

impl std::fmt::Debug for SessionWatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionWatch").field("session", &self.entry.id).finish_non_exhaustive()
    }
}

/// Watches everything in a hub. However slowly it is looked at, it misses nothing that changed and
/// costs no memory.
pub struct HubWatch {
    hub: Weak<HubShared>,
    notifier: watch::Receiver<u64>,
    seen: u64,
    looked: Option<Instant>,
}

/// What changed in a hub since a watcher looked last.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct HubLook {
    /// Sessions in which something changed, or that are new.
    pub sessions: Vec<HubSession>,
    /// Agents whose state changed, or that are new.
    pub agents: Vec<HubAgent>,
    /// Sessions came or went, or the list of stored sessions changed.
    pub list: bool,
}

impl HubWatch {
    pub(crate) fn new(hub: &Arc<HubShared>) -> Self {
        let mut notifier = hub.notifier.listen();
        let seen = *notifier.borrow_and_update();
        hub.sessions().iter().for_each(|session| session.mark.looked());
        hub.agents().iter().for_each(|agent| agent.mark.looked());
        hub.list_mark.looked();
        Self { hub: Arc::downgrade(hub), notifier, seen, looked: None }
    }

    /// Waits until something changed since the look before, and says what. `None` once the hub is
    /// closed. Losing the future loses nothing.
    pub async fn next(&mut self) -> Option<HubLook> {
        loop {
            let now = *self.notifier.borrow_and_update();
            if now > self.seen {
                let hub = self.hub.upgrade()?;
                let look = HubLook {
                    sessions: HubSession::all(&hub)
                        .into_iter()
                        .filter(|it| it.entry.mark.since(self.seen))
                        .collect(),
                    agents: hub
                        .agents()
                        .into_iter()
                        .map(HubAgent)
                        .filter(|it| it.0.mark.since(self.seen))
                        .collect(),
                    list: hub.list_mark.since(self.seen),
                };
                self.seen = now;
                if look.list || !look.sessions.is_empty() || !look.agents.is_empty() {
                    self.looked = Some(Instant::now());
                    return Some(look);
                }
            }
            self.notifier.changed().await.ok()?;
        }
    }

    /// The same, at most once in `interval`: what changes faster is told together. The first change
    /// after a rest is told at once.
    pub async fn next_within(&mut self, interval: Duration) -> Option<HubLook> {
        rest(self.looked, interval).await;
        self.next().await
    }
}

impl std::fmt::Debug for HubWatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HubWatch").finish_non_exhaustive()
    }
}
