//! The store as the kit uses it: on threads that may block, and with the keys of this agent's
//! sessions.

use crate::store::open_only_store::OpenOnlyStore;
use crate::{Error, Result};
use attache_protocol::method::Side;
use attache_protocol::v1::{
    AgentCapabilities, SessionArchiveCapabilities, SessionForkCapabilities, SessionId,
    SessionResumeCapabilities, SessionStatusCapabilities,
};
use attache_session::{
    Event, EventBody, ListPage, ListQuery, Log, SessionKey, Store, StoreError, Summary, Timestamp,
    fork_capability_meta,
};
use std::sync::Arc;
use std::time::Duration;

/// The number of attempts to open a session that another process is writing to. Storing a title or
/// closing a session takes only a moment.
const TRIES: u32 = 10;

/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(25);

/// All sessions of this agent.
pub(crate) struct StoredSessions {
    store: Arc<dyn Store>,
    agent: String,
    /// Whether they outlive the connection.
    durable: bool,
    /// Held while an event is appended to a session that is not open, so that events are appended
    /// in the order of the calls.
    appending: tokio::sync::Mutex<()>,
}

impl StoredSessions {
    pub(crate) fn new(store: Option<Arc<dyn Store>>, agent: &str) -> Self {
        let durable = store.is_some();
        let store = store.unwrap_or_else(|| Arc::new(OpenOnlyStore::default()));
        Self { store, agent: agent.to_owned(), durable, appending: tokio::sync::Mutex::new(()) }
    }

    /// Returns whether sessions outlive the connection.
    pub(crate) fn is_durable(&self) -> bool {
        self.durable
    }

    /// Adds the capabilities that need a store (INIT-16, ARCH-01).
    pub(crate) fn advertise(&self, capabilities: &mut AgentCapabilities) {
        if self.durable {
            capabilities.load_session = true;
            let sessions = &mut capabilities.session_capabilities;
            sessions.resume = Some(SessionResumeCapabilities::default());
            let meta = fork_capability_meta();
            sessions.fork = Some(SessionForkCapabilities { meta });
            sessions.archive = Some(SessionArchiveCapabilities::default());
            sessions.status = Some(SessionStatusCapabilities::default());
        }
    }

    fn key(&self, session: &SessionId) -> SessionKey {
        SessionKey { side: Side::Agent, agent: self.agent.clone(), session_id: session.clone() }
    }

    /// Returns the error for a session that the store does not contain.
    pub(crate) fn not_found(&self, session: &SessionId) -> Error {
        Error::Store(StoreError::NotFound(self.key(session)))
    }

    /// Runs a query about one session in the store.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        session: &SessionId,
        question: impl FnOnce(&dyn Store, &SessionKey) -> std::result::Result<T, StoreError>
        + Send
        + 'static,
    ) -> Result<T> {
        let (store, key) = (Arc::clone(&self.store), self.key(session));
        let answer = tokio::task::spawn_blocking(move || question(&*store, &key)).await;
        answer.map_err(no_answer)?.map_err(Error::Store)
    }

    /// Runs a query, and retries it for a while if another process is writing to the session.
    async fn ask_patiently<T: Send + 'static>(
        &self,
        session: &SessionId,
        question: impl Fn(&dyn Store, &SessionKey) -> std::result::Result<T, StoreError>
        + Clone
        + Send
        + 'static,
    ) -> Result<T> {
        for _ in 1..TRIES {
            match self.ask(session, question.clone()).await {
                Err(Error::Store(StoreError::InUse(_))) => tokio::time::sleep(PAUSE).await,
                answer => return answer,
            }
        }
        self.ask(session, question).await
    }

    pub(crate) async fn create(&self, session: &SessionId) -> Result<Box<dyn Log>> {
        self.ask(session, |store, key| store.create(key)).await
    }

    pub(crate) async fn open(&self, session: &SessionId) -> Result<Box<dyn Log>> {
        self.ask_patiently(session, |store, key| store.open(key)).await
    }

    /// Copies the committed events up to the number `at`, or all.
    pub(crate) async fn fork(
        &self,
        from: &SessionId,
        at: Option<u64>,
        to: &SessionId,
    ) -> Result<Box<dyn Log>> {
        let to = self.key(to);
        self.ask(from, move |store, from| store.fork(from, at, &to)).await
    }

    /// Returns the number of the event before the last `prompts` prompts; `None` if the session has
    /// fewer.
    pub(crate) async fn before_prompts(
        &self,
        session: &SessionId,
        prompts: u64,
    ) -> Result<Option<u64>> {
        self.ask(session, move |store, key| {
            let (mut found, mut after) = (Vec::new(), 0);
            loop {
                let events = store.read(key, after)?;
                let Some(last) = events.last() else { break };
                after = last.sequence;
                let is_prompt = |event: &&Event| matches!(event.body, EventBody::Prompt { .. });
                found.extend(events.iter().filter(is_prompt).map(|event| event.sequence));
            }
            let index = usize::try_from(prompts).ok().and_then(|n| found.len().checked_sub(n));
            let first = index.and_then(|index| found.get(index));
            Ok(first.map(|sequence| sequence.saturating_sub(1)))
        })
        .await
    }

    pub(crate) async fn read(&self, session: &SessionId, after: u64) -> Result<Vec<Event>> {
        self.ask(session, move |store, key| store.read(key, after)).await
    }

    pub(crate) async fn summary(&self, session: &SessionId) -> Result<Summary> {
        self.ask(session, |store, key| store.summary(key)).await
    }

    /// Returns whether the session is open, here or in another process. The only way to find out is
    /// to try to open it.
    pub(crate) async fn is_open(&self, session: &SessionId) -> Result<bool> {
        let opened = |store: &dyn Store, key: &SessionKey| match store.open(key) {
            Ok(_) => Ok(false),
            Err(StoreError::InUse(_)) => Ok(true),
            // A session that cannot be opened may still exist.
            Err(_) => store.summary(key).map(|_| false),
        };
        self.ask(session, opened).await
    }

    /// Returns one page of this agent's sessions.
    pub(crate) async fn list(&self, query: ListQuery) -> Result<ListPage> {
        let store = Arc::clone(&self.store);
        let query = ListQuery { side: Some(Side::Agent), agent: Some(self.agent.clone()), ..query };
        let answer = tokio::task::spawn_blocking(move || store.list(&query)).await;
        answer.map_err(no_answer)?.map_err(Error::Store)
    }

    pub(crate) async fn delete(&self, session: &SessionId) -> Result<()> {
        self.ask_patiently(session, |store, key| store.delete(key)).await
    }

    /// Appends `body` to a session that is not open, unless `done` returns that this is not
    /// necessary, and waits until it is stored.
    pub(crate) async fn append(
        &self,
        session: &SessionId,
        at: Timestamp,
        body: EventBody,
        done: impl FnOnce(&Summary) -> bool,
    ) -> Result<()> {
        let _in_order = self.appending.lock().await;
        if done(&self.summary(session).await?) {
            return Ok(());
        }
        let append = move |store: &dyn Store, key: &SessionKey| store.append(key, at, body.clone());
        self.ask_patiently(session, append).await?.await.map_err(Error::Store)
    }
}

fn no_answer(error: tokio::task::JoinError) -> Error {
    Error::caused("the store of sessions did not answer", error)
}
