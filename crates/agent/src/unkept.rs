//! The store of an agent that was given none: it knows the sessions that are open, as a list shows
//! them, and forgets each when it closes.

use attache_session::{
    Archived, Commit, Event, ListPage, ListQuery, Listed, Log, SessionKey, Store, StoreError,
    Summary, Timestamp,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The sessions that are open.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unkept(Arc<Mutex<Sessions>>);

#[derive(Debug, Default)]
struct Sessions {
    open: HashMap<SessionKey, Arc<Listable>>,
    begun: u64,
}

#[derive(Debug)]
struct Listable {
    /// Higher for sessions that began later.
    serial: u64,
    summary: Mutex<Summary>,
}

impl Listable {
    fn summary(&self) -> MutexGuard<'_, Summary> {
        self.summary.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where a session stands in the list: the greatest first.
type Rank = (Timestamp, u64);

impl Unkept {
    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for Unkept {
    fn create(&self, key: &SessionKey) -> Result<Box<dyn Log>, StoreError> {
        let mut sessions = self.sessions();
        if sessions.open.contains_key(key) {
            return Err(StoreError::AlreadyExists(key.clone()));
        }
        sessions.begun += 1;
        let session = Arc::new(Listable { serial: sessions.begun, summary: Mutex::default() });
        sessions.open.insert(key.clone(), Arc::clone(&session));
        Ok(Box::new(SummaryLog { store: self.clone(), key: key.clone(), session }))
    }

    fn open(&self, key: &SessionKey) -> Result<Box<dyn Log>, StoreError> {
        Err(StoreError::NotFound(key.clone()))
    }

    fn fork(
        &self,
        from: &SessionKey,
        _: Option<u64>,
        _: &SessionKey,
    ) -> Result<Box<dyn Log>, StoreError> {
        Err(StoreError::NotFound(from.clone()))
    }

    fn read(&self, key: &SessionKey, _: u64) -> Result<Vec<Event>, StoreError> {
        Err(StoreError::NotFound(key.clone()))
    }

    fn summary(&self, key: &SessionKey) -> Result<Summary, StoreError> {
        let sessions = self.sessions();
        let found = sessions.open.get(key).map(|session| session.summary().clone());
        found.ok_or_else(|| StoreError::NotFound(key.clone()))
    }

    fn list(&self, query: &ListQuery) -> Result<ListPage, StoreError> {
        let before = query
            .cursor
            .as_deref()
            .map(|cursor| rank(cursor).ok_or(StoreError::InvalidCursor))
            .transpose()?;
        let all: Vec<_> = {
            let sessions = self.sessions();
            sessions.open.iter().map(|(key, session)| (key.clone(), Arc::clone(session))).collect()
        };
        let ranked = all.into_iter().map(|(key, session)| {
            let summary = session.summary().clone();
            ((summary.updated_at, session.serial), Listed { key, summary })
        });
        let mut found: Vec<(Rank, Listed)> = ranked
            .filter(|(rank, Listed { summary, .. })| {
                // One without an event is not open yet, and none is ever archived.
                summary.sequence > 0
                    && query.archived != Archived::Only
                    && (!query.used || summary.is_used())
                    && before.is_none_or(|before| *rank < before)
                    && query.cwd.as_ref().is_none_or(|cwd| *cwd == summary.cwd)
            })
            .collect();
        found.sort_unstable_by_key(|(rank, _)| std::cmp::Reverse(*rank));
        let more = found.len() > query.limit;
        found.truncate(query.limit);
        let next =
            found.last().filter(|_| more).map(|((at, serial), _)| format!("{}.{serial}", at.0));
        Ok(ListPage { sessions: found.into_iter().map(|(_, listed)| listed).collect(), next })
    }

    fn delete(&self, key: &SessionKey) -> Result<(), StoreError> {
        match self.sessions().open.contains_key(key) {
            true => Err(StoreError::InUse(key.clone())),
            false => Ok(()),
        }
    }
}

fn rank(cursor: &str) -> Option<Rank> {
    let (at, serial) = cursor.split_once('.')?;
    Some((Timestamp(at.parse().ok()?), serial.parse().ok()?))
}

/// Keeps what a list shows, as long as the session is open.
#[derive(Debug)]
struct SummaryLog {
    store: Unkept,
    key: SessionKey,
    session: Arc<Listable>,
}

impl Log for SummaryLog {
    fn append(&mut self, event: &Event) {
        self.session.summary().apply(event);
    }

    fn commit(&self) -> Commit {
        Box::pin(std::future::ready(Ok(())))
    }

    fn backlog(&self) -> usize {
        0
    }
}

impl Drop for SummaryLog {
    fn drop(&mut self) {
        self.store.sessions().open.remove(&self.key);
    }
}
