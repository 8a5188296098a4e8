//! The store of an agent without one: it contains the summaries of the open sessions, for
//! `session/list`, and removes each summary when its session closes.

use attache_session::{
    ArchivedFilter, Commit, Event, ListEntry, ListPage, ListQuery, Log, SessionKey, Store,
    StoreError, Summary, Timestamp,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A store that contains only open sessions.
#[derive(Debug, Clone, Default)]
pub(crate) struct OpenOnlyStore(Arc<Mutex<Sessions>>);

#[derive(Debug, Default)]
struct Sessions {
    open: HashMap<SessionKey, Arc<OpenEntry>>,
    created: u64,
}

#[derive(Debug)]
struct OpenEntry {
    /// Higher for sessions that were created later.
    serial: u64,
    summary: Mutex<Summary>,
}

impl OpenEntry {
    fn summary(&self) -> MutexGuard<'_, Summary> {
        self.summary.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The rank of a session in the list, which begins with the highest rank.
type Rank = (Timestamp, u64);

impl OpenOnlyStore {
    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for OpenOnlyStore {
    fn create(&self, key: &SessionKey) -> Result<Box<dyn Log>, StoreError> {
        let mut sessions = self.sessions();
        if sessions.open.contains_key(key) {
            return Err(StoreError::AlreadyExists(key.clone()));
        }
        sessions.created += 1;
        let session = Arc::new(OpenEntry { serial: sessions.created, summary: Mutex::default() });
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
            ((summary.updated_at, session.serial), ListEntry { key, summary })
        });
        let mut found: Vec<(Rank, ListEntry)> = ranked
            .filter(|(rank, ListEntry { summary, .. })| {
                // A session without an event is not open yet. No session is archived.
                summary.sequence > 0
                    && query.archived != ArchivedFilter::Only
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

/// Keeps the summary up to date while the session is open.
#[derive(Debug)]
struct SummaryLog {
    store: OpenOnlyStore,
    key: SessionKey,
    session: Arc<OpenEntry>,
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
