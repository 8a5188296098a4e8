//! The sessions of one connection, by id.

use crate::live::{Live, fold};
use attache_connection::{End, Peer};
use attache_protocol::v1::SessionId;
use attache_session::{EventBody, Session};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// How many sessions may be talked about before the reply that names them; more are ignored.
const EARLY: usize = 16;

/// The sessions of one connection, by id. They live as long as somebody has a handle to them.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<Table>);

#[derive(Default)]
struct Table {
    live: HashMap<SessionId, Weak<Live>>,
    /// How many replies to `session/new` are awaited.
    expected: usize,
    /// Sessions that updates named while such a reply was awaited, folded already (SESS-26).
    early: HashMap<SessionId, Session>,
    over: Option<End>,
}

impl Sessions {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session with this id.
    pub(crate) fn get(&self, id: &SessionId) -> Option<Arc<Live>> {
        self.table().live.get(id).and_then(Weak::upgrade)
    }

    /// Folds an update into its session. For an unknown session it is kept while a reply to `session/new` is awaited (SESS-26), else
    /// ignored (SESS-28).
    pub(crate) fn updated(&self, id: &SessionId, body: EventBody) {
        let mut table = self.table();
        if let Some(live) = table.live.get(id).and_then(Weak::upgrade) {
            drop(table);
            return live.updated(body);
        }
        if table.expected > 0 && (table.early.len() < EARLY || table.early.contains_key(id)) {
            fold(table.early.entry(id.clone()).or_insert_with(|| Session::new(id.clone())), body);
        }
    }

    /// Says that a reply to `session/new` is awaited, until the returned value is dropped.
    pub(crate) fn expect(self: &Arc<Self>) -> Expected {
        self.table().expected += 1;
        Expected(self.clone())
    }

    /// The session with this id, and whether it was there before; otherwise a new one that holds what arrived early.
    pub(crate) fn get_or_add(&self, id: &SessionId, peer: &Peer) -> Arc<Live> {
        let mut table = self.table();
        if let Some(live) = table.live.get(id).and_then(Weak::upgrade) {
            return live;
        }
        let session = table.early.remove(id).unwrap_or_else(|| Session::new(id.clone()));
        let live = Arc::new(Live::new(session, peer.clone()));
        table.live.retain(|_, live| live.strong_count() > 0);
        table.live.insert(id.clone(), Arc::downgrade(&live));
        let over = table.over.clone();
        drop(table);
        if let Some(end) = over {
            live.over(&end);
        }
        live
    }

    /// The session was closed: later updates of it are ignored (SESS-25), and its commands are ended.
    pub(crate) fn remove(&self, id: &SessionId) {
        let closed = self.table().live.remove(id).and_then(|live| live.upgrade());
        if let Some(live) = closed {
            live.terminals.end();
        }
    }

    /// The connection is over, and so is everything in flight. Only the first end counts.
    pub(crate) fn over(&self, end: &End) {
        let mut table = self.table();
        if table.over.is_some() {
            return;
        }
        table.over = Some(end.clone());
        let live: Vec<Arc<Live>> = table.live.values().filter_map(Weak::upgrade).collect();
        drop(table);
        live.iter().for_each(|live| live.over(end));
    }
}

/// A reply to `session/new` is awaited.
pub(crate) struct Expected(Arc<Sessions>);

impl Drop for Expected {
    fn drop(&mut self) {
        let mut table = self.0.table();
        table.expected -= 1;
        if table.expected == 0 {
            table.early = HashMap::new();
        }
    }
}
