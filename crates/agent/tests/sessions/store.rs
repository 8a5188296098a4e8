//! A store in memory that can fail, delay commits and count them.

use attache_agent::serve;
use attache_protocol::method::Side;
use attache_protocol::v1::SessionId;
use attache_session::{
    Commit, Event, EventBody, ListPage, ListQuery, Log, MemoryStore, Session, SessionKey, Store,
    StoreError, Summary,
};
use serde_json::json;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

use super::{Client, Keeper};

#[derive(Clone)]
pub(crate) struct TestStore {
    pub(crate) inner: MemoryStore,
    pub(crate) control: Arc<Control>,
}

pub(crate) struct Control {
    /// Every commit fails.
    pub(crate) full: AtomicBool,
    /// No log can be opened.
    pub(crate) read_only: AtomicBool,
    /// Commits wait until this is true.
    pub(crate) open: watch::Sender<bool>,
    pub(crate) commits: AtomicUsize,
    pub(crate) reads: AtomicUsize,
}

impl TestStore {
    pub(crate) fn new() -> Self {
        let control = Control {
            full: AtomicBool::new(false),
            read_only: AtomicBool::new(false),
            open: watch::Sender::new(true),
            commits: AtomicUsize::new(0),
            reads: AtomicUsize::new(0),
        };
        Self { inner: MemoryStore::new(), control: Arc::new(control) }
    }

    pub(crate) fn fails(&self, fails: bool) {
        self.control.full.store(fails, Ordering::SeqCst);
    }

    /// Makes commits wait from now on.
    pub(crate) fn hold(&self) {
        self.control.open.send_replace(false);
    }

    pub(crate) fn go_on(&self) {
        self.control.open.send_replace(true);
    }

    /// Connects a client to an agent with this store.
    pub(crate) async fn client(&self, author: Keeper) -> Client {
        let mut client = Client::silent(serve(author).store(self.clone()));
        let capabilities = json!({"session": {"configOptions": {"boolean": {}}, "notices": {}}});
        client
            .result("initialize", json!({"protocolVersion": 1, "clientCapabilities": capabilities}))
            .await;
        client
    }

    /// Returns a stored session of the keeper.
    pub(crate) fn session(&self, id: &str) -> Session {
        let mut session = Session::new(id);
        for event in self.events(id) {
            session.apply(&event);
        }
        session
    }

    pub(crate) fn events(&self, id: &str) -> Vec<Event> {
        let (mut events, mut after) = (Vec::new(), 0);
        loop {
            let page = self.inner.read(&key(id), after).unwrap();
            match page.last() {
                Some(last) => after = last.sequence,
                None => return events,
            }
            events.extend(page);
        }
    }

    /// Writes a log as another writer would.
    pub(crate) fn write(&self, id: &str, bodies: impl IntoIterator<Item = EventBody>) {
        let mut log = self.inner.create(&key(id)).unwrap();
        let mut session = Session::new(id);
        for (index, body) in bodies.into_iter().enumerate() {
            let event = session.next(attache_session::Timestamp(index as i64), body);
            session.apply(&event);
            log.append(&event);
        }
    }
}

pub(crate) fn key(id: &str) -> SessionKey {
    SessionKey { side: Side::Agent, agent: "keeper".to_owned(), session_id: SessionId::from(id) }
}

const FULL: &str = "the disk is full: the store /store.db cannot grow";

/// Checks that an error reports a full disk.
pub(crate) fn is_full(error: &serde_json::Value) {
    assert_eq!(error["code"], -32603, "{error}");
    assert_eq!(error["message"], FULL);
}

impl TestStore {
    fn log(&self, log: Result<Box<dyn Log>, StoreError>) -> Result<Box<dyn Log>, StoreError> {
        if self.control.read_only.load(Ordering::SeqCst) {
            return Err(StoreError::ReadOnly { path: "/store.db".to_owned() });
        }
        let (control, appended) = (Arc::clone(&self.control), Arc::default());
        Ok(Box::new(TestLog { log: log?, control, appended }))
    }
}

impl Store for TestStore {
    fn create(&self, key: &SessionKey) -> Result<Box<dyn Log>, StoreError> {
        self.log(self.inner.create(key))
    }

    fn open(&self, key: &SessionKey) -> Result<Box<dyn Log>, StoreError> {
        self.log(self.inner.open(key))
    }

    fn fork(
        &self,
        from: &SessionKey,
        at: Option<u64>,
        to: &SessionKey,
    ) -> Result<Box<dyn Log>, StoreError> {
        self.log(self.inner.fork(from, at, to))
    }

    fn read(&self, key: &SessionKey, after: u64) -> Result<Vec<Event>, StoreError> {
        self.control.reads.fetch_add(1, Ordering::SeqCst);
        self.inner.read(key, after)
    }

    fn summary(&self, key: &SessionKey) -> Result<Summary, StoreError> {
        self.inner.summary(key)
    }

    fn list(&self, query: &ListQuery) -> Result<ListPage, StoreError> {
        self.inner.list(query)
    }

    fn delete(&self, key: &SessionKey) -> Result<(), StoreError> {
        self.inner.delete(key)
    }
}

struct TestLog {
    log: Box<dyn Log>,
    control: Arc<Control>,
    /// Bytes of text that no commit has stored.
    appended: Arc<Mutex<usize>>,
}

impl Log for TestLog {
    fn append(&mut self, event: &Event) {
        *self.appended.lock().unwrap() += event.encode().len();
        self.log.append(event);
    }

    fn commit(&self) -> Commit {
        let (control, appended) = (Arc::clone(&self.control), Arc::clone(&self.appended));
        control.commits.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move {
            let mut open = control.open.subscribe();
            open.wait_for(|open| *open).await.unwrap();
            if control.full.load(Ordering::SeqCst) {
                return Err(StoreError::DiskFull { path: "/store.db".to_owned() });
            }
            *appended.lock().unwrap() = 0;
            Ok(())
        })
    }

    fn backlog(&self) -> usize {
        *self.appended.lock().unwrap()
    }
}
