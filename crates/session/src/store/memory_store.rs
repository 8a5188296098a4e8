//! A store that keeps its sessions in memory.

use super::memory_list::{self, Candidate};
use crate::{
    Commit, Event, EventBody, ListPage, ListQuery, Log, READ_PAGE, SessionKey, Store, StoreError,
    Summary,
};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A store in memory, for agents without history and for tests. Clones share the sessions, which
/// are dropped with the last clone.
///
/// Appended events are stored at once. Chunks of a text are joined ([`Event::join`]) unless they
/// were read before the next chunk came.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore {
    sessions: Arc<Mutex<Sessions>>,
}

#[derive(Debug, Default)]
struct Sessions {
    by_key: HashMap<SessionKey, Arc<Mutex<Stored>>>,
    /// The number of sessions ever created. It orders sessions that were active at the same time.
    begun: u64,
}

/// One session. Before its first event, only its writer sees it.
#[derive(Debug, Default)]
struct Stored {
    serial: u64,
    /// Whether a writer has the log open.
    written: bool,
    summary: Summary,
    events: Vec<Arc<Event>>,
    /// Whether a reader has read the last event. The event must then not grow, because the reader
    /// would read its beginning twice.
    closed: bool,
}

impl MemoryStore {
    /// Creates an empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the session if it has events.
    fn stored(&self, key: &SessionKey) -> Result<Arc<Mutex<Stored>>, StoreError> {
        let stored = self.sessions().by_key.get(key).cloned();
        let stored = stored.filter(|stored| !lock(stored).events.is_empty());
        stored.ok_or_else(|| StoreError::NotFound(key.clone()))
    }

    fn begin(&self, key: &SessionKey, mut new: Stored) -> Result<Box<dyn Log>, StoreError> {
        let mut sessions = self.sessions();
        let serial = sessions.begun;
        let Entry::Vacant(place) = sessions.by_key.entry(key.clone()) else {
            return Err(StoreError::AlreadyExists(key.clone()));
        };
        (new.serial, new.written) = (serial, true);
        let stored = Arc::clone(place.insert(Arc::new(Mutex::new(new))));
        sessions.begun += 1;
        drop(sessions);
        Ok(Box::new(MemoryLog { store: self.clone(), key: key.clone(), stored }))
    }
}

fn lock(stored: &Mutex<Stored>) -> MutexGuard<'_, Stored> {
    stored.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Store for MemoryStore {
    fn create(&self, key: &SessionKey) -> Result<Box<dyn Log>, StoreError> {
        self.begin(key, Stored::default())
    }

    fn open(&self, key: &SessionKey) -> Result<Box<dyn Log>, StoreError> {
        let stored = self.sessions().by_key.get(key).cloned();
        let stored = stored.ok_or_else(|| StoreError::NotFound(key.clone()))?;
        if std::mem::replace(&mut lock(&stored).written, true) {
            return Err(StoreError::InUse(key.clone()));
        }
        Ok(Box::new(MemoryLog { store: self.clone(), key: key.clone(), stored }))
    }

    fn fork(
        &self,
        from: &SessionKey,
        at: Option<u64>,
        to: &SessionKey,
    ) -> Result<Box<dyn Log>, StoreError> {
        let events = {
            let stored = self.stored(from)?;
            let stored = lock(&stored);
            let end = at.map_or(stored.events.len(), |at| stored.after(at));
            stored.events.get(..end).unwrap_or_default().to_vec()
        };
        let mut summary = Summary::default();
        events.iter().for_each(|event| summary.apply(event));
        // A reader that has read the last event in one of the logs may continue in the other.
        self.begin(to, Stored { summary, events, closed: true, ..Stored::default() })
    }

    fn read(&self, key: &SessionKey, after: u64) -> Result<Vec<Event>, StoreError> {
        let page = lock(&*self.stored(key)?).page(after);
        // The texts are copied after the lock is released.
        Ok(page.iter().map(|event| (**event).clone()).collect())
    }

    fn summary(&self, key: &SessionKey) -> Result<Summary, StoreError> {
        Ok(lock(&*self.stored(key)?).summary.clone())
    }

    fn list(&self, query: &ListQuery) -> Result<ListPage, StoreError> {
        let all: Vec<_> = {
            let sessions = self.sessions();
            let of_query = |key: &SessionKey| {
                query.side.is_none_or(|side| side == key.side)
                    && query.agent.as_ref().is_none_or(|agent| *agent == key.agent)
            };
            let all = sessions.by_key.iter().filter(|(key, _)| of_query(key));
            all.map(|(key, stored)| (key.clone(), Arc::clone(stored))).collect()
        };
        let candidates = all.into_iter().filter_map(|(key, stored)| {
            let stored = lock(&stored);
            let said = || {
                stored.events.iter().any(|event| matches!(event.body, EventBody::Message { .. }))
            };
            let fits = !stored.events.is_empty()
                && memory_list::fits(&stored.summary, query)
                && (!query.used || stored.summary.is_used() || said());
            fits.then(|| Candidate {
                key,
                serial: stored.serial,
                summary: stored.summary.clone(),
                // Only a search reads messages, and it does so outside of the lock.
                events: query.text.as_ref().map(|_| stored.events.clone()).unwrap_or_default(),
            })
        });
        memory_list::page(candidates.collect(), query)
    }

    fn delete(&self, key: &SessionKey) -> Result<(), StoreError> {
        let mut sessions = self.sessions();
        if sessions.by_key.get(key).is_some_and(|stored| lock(stored).written) {
            return Err(StoreError::InUse(key.clone()));
        }
        sessions.by_key.remove(key);
        Ok(())
    }
}

impl Stored {
    /// The index of the first event after the number `sequence`.
    fn after(&self, sequence: u64) -> usize {
        self.events.partition_point(|event| event.sequence <= sequence)
    }

    fn append(&mut self, event: &Event) {
        if event.sequence <= self.summary.sequence {
            return;
        }
        self.summary.apply(event);
        let last = self.events.last_mut().filter(|_| !self.closed).and_then(Arc::get_mut);
        if last.is_some_and(|last| last.join(event)) {
            return;
        }
        self.closed = false;
        self.events.push(Arc::new(event.clone()));
    }

    fn page(&mut self, after: u64) -> Vec<Arc<Event>> {
        let start = self.after(after);
        let mut bytes = 0;
        let fits = |event: &&Arc<Event>| {
            let fits = bytes < READ_PAGE;
            bytes += event.encode().len();
            fits
        };
        let behind = self.events.get(start..).unwrap_or_default();
        let page: Vec<_> = behind.iter().take_while(fits).cloned().collect();
        self.closed |= start + page.len() == self.events.len();
        page
    }
}

/// The only writer of a session.
struct MemoryLog {
    store: MemoryStore,
    key: SessionKey,
    stored: Arc<Mutex<Stored>>,
}

impl Log for MemoryLog {
    fn append(&mut self, event: &Event) {
        lock(&self.stored).append(event);
    }

    fn commit(&self) -> Commit {
        Box::pin(std::future::ready(Ok(())))
    }

    fn backlog(&self) -> usize {
        0
    }
}

impl Drop for MemoryLog {
    fn drop(&mut self) {
        let mut sessions = self.store.sessions();
        let mut stored = lock(&self.stored);
        stored.written = false;
        if stored.events.is_empty() {
            sessions.by_key.remove(&self.key);
        }
    }
}
