//! The sessions of one connection, by id.

use crate::session::live_session::LiveSession;
use crate::session::session_fold::{LogRoom, SessionFold};
use attache_connection::{ConnectionEnd, Peer};
use attache_protocol::v1::SessionId;
use attache_session::{EventBody, Session};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll};

/// The number of sessions that may get updates before the reply that names them. Updates for
/// further sessions are dropped.
const EARLY: usize = 16;

/// The maximum size in bytes of the updates that are kept for each such session.
const EARLY_BYTES: usize = 1 << 20;

/// The sessions of one connection, by id. A session lives as long as there is a handle to it.
#[derive(Default)]
pub(crate) struct SessionTable {
    table: Mutex<Table>,
    /// The futures that the reading task waits for before it takes another line.
    rooms: Mutex<Vec<LogRoom>>,
    /// Whether events are kept for a log. If so, updates for unknown sessions are always kept.
    kept: bool,
}

#[derive(Default)]
struct Table {
    live: HashMap<SessionId, Weak<LiveSession>>,
    /// The number of replies to `session/new` that are awaited.
    expected: usize,
    /// Unknown sessions that got updates while such a reply was awaited, already folded (SESS-26).
    early: HashMap<SessionId, Arc<SessionFold>>,
    /// The number of updates for unknown sessions that were dropped.
    ignored: u64,
    over: Option<ConnectionEnd>,
}

impl SessionTable {
    /// Makes an empty table. `kept` says whether events are kept for a log.
    pub(crate) fn new(kept: bool) -> Self {
        Self { kept, ..Self::default() }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn new_fold(&self, id: &SessionId) -> Arc<SessionFold> {
        let session = Session::new(id.clone());
        Arc::new(if self.kept {
            SessionFold::awaiting_log(session)
        } else {
            SessionFold::new(session)
        })
    }

    /// The session with this id.
    pub(crate) fn get(&self, id: &SessionId) -> Option<Arc<LiveSession>> {
        self.table().live.get(id).and_then(Weak::upgrade)
    }

    /// The number of dropped updates for unknown sessions, and the number of unknown sessions whose
    /// updates are kept.
    pub(crate) fn strays(&self) -> (u64, usize) {
        let table = self.table();
        (table.ignored, table.early.len())
    }

    /// Folds an update into its session. An update for an unknown session is kept while a reply to
    /// `session/new` is awaited (SESS-26) or if events are kept for a log; otherwise it is dropped
    /// (SESS-28).
    pub(crate) fn updated(&self, id: &SessionId, body: EventBody) {
        let mut table = self.table();
        if let Some(live) = table.live.get(id).and_then(Weak::upgrade) {
            drop(table);
            live.updated(body);
            let mut rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
            return rooms.extend(live.fold.room());
        }
        let awaited = self.kept || table.expected > 0;
        let known = table.early.get(id).cloned();
        let fold = match known {
            Some(fold) => Some(fold),
            None if awaited && table.early.len() < EARLY => {
                let fold = self.new_fold(id);
                table.early.insert(id.clone(), fold.clone());
                Some(fold)
            }
            None => None,
        };
        match fold.filter(|fold| fold.with(Session::memory) < EARLY_BYTES) {
            Some(fold) => fold.apply(body),
            None => {
                table.ignored += 1;
                tracing::debug!(session = %id, "dropped an update for an unknown session");
            }
        }
    }

    /// Ready once the reading task may take more, because enough is stored.
    pub(crate) fn poll_room(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        rooms.retain_mut(|room| room.as_mut().poll(context).is_pending());
        if rooms.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Notes that a reply to `session/new` is awaited, until the returned value is dropped.
    pub(crate) fn expect(self: &Arc<Self>) -> Expected {
        self.table().expected += 1;
        Expected(self.clone())
    }

    /// Returns the session with this id. If there is none, makes one that continues the `known`
    /// state or the updates that arrived early.
    pub(crate) fn get_or_add(
        &self,
        id: &SessionId,
        peer: &Peer,
        known: Option<Arc<SessionFold>>,
    ) -> Arc<LiveSession> {
        let mut table = self.table();
        if let Some(live) = table.live.get(id).and_then(Weak::upgrade) {
            return live;
        }
        let fold = match (known, table.early.remove(id)) {
            (Some(known), Some(early)) => {
                known.take_over(&early);
                known
            }
            (known, early) => known.or(early).unwrap_or_else(|| self.new_fold(id)),
        };
        let live = Arc::new(LiveSession::new(fold, peer.clone()));
        table.live.retain(|_, live| live.strong_count() > 0);
        table.live.insert(id.clone(), Arc::downgrade(&live));
        let over = table.over.clone();
        drop(table);
        if let Some(end) = over {
            live.over(&end);
        }
        live
    }

    /// Removes a closed session: later updates for it are dropped (SESS-25), and its commands end.
    pub(crate) fn remove(&self, id: &SessionId) {
        let closed = self.table().live.remove(id).and_then(|live| live.upgrade());
        if let Some(live) = closed {
            live.terminals.end();
        }
    }

    /// Ends everything in flight because the connection is over. Only the first call has an effect.
    pub(crate) fn over(&self, end: &ConnectionEnd) {
        let mut table = self.table();
        if table.over.is_some() {
            return;
        }
        table.over = Some(end.clone());
        let live: Vec<Arc<LiveSession>> = table.live.values().filter_map(Weak::upgrade).collect();
        drop(table);
        live.iter().for_each(|live| live.over(end));
    }
}

/// Marks that a reply to `session/new` is awaited.
pub(crate) struct Expected(Arc<SessionTable>);

impl Drop for Expected {
    fn drop(&mut self) {
        let mut table = self.0.table();
        table.expected -= 1;
        if table.expected == 0 && !self.0.kept {
            table.early = HashMap::new();
        }
    }
}
