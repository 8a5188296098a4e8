//! The state that all calls of one connection share.

use crate::author::erased_author::ErasedAuthor;
use crate::author::erased_parts::BoxFuture;
use crate::serve::open_sessions::OpenSessions;
use crate::store::record_numbers::KeepCheckpoint;
use crate::store::stored_sessions::StoredSessions;
use crate::{About, Environment, OptionalParts, Result};
use attache_connection::{Responder, Work};
use attache_protocol::method;
use attache_protocol::v1::{
    ForkSessionRequest, LoadSessionRequest, ResumeSessionRequest, SessionId, SessionStatusRequest,
};
use attache_session::{EventBody, Store};
use std::sync::Arc;
use std::time::Duration;

/// The methods that need a store. The kit reaches them only through this trait, so that an agent
/// without a store does not contain the code that reads and writes logs.
pub(crate) trait StoreMethods: Send + Sync {
    fn load(
        &self,
        context: Arc<Context>,
        params: LoadSessionRequest,
        responder: Responder<method::SessionLoad>,
    ) -> Work;

    fn resume(
        &self,
        context: Arc<Context>,
        params: ResumeSessionRequest,
        responder: Responder<method::SessionResume>,
    ) -> Work;

    fn fork(
        &self,
        context: Arc<Context>,
        params: ForkSessionRequest,
        responder: Responder<method::SessionFork>,
    ) -> Work;

    fn status(
        &self,
        context: Arc<Context>,
        params: SessionStatusRequest,
        responder: Responder<method::SessionStatusQuery>,
    ) -> Work;

    /// Appends `body` to a session that is not open on this connection.
    fn append<'c>(
        &self,
        context: &'c Context,
        session: &'c SessionId,
        body: EventBody,
    ) -> BoxFuture<'c, Result<()>>;

    /// Returns the function that stores the checkpoints of open sessions.
    fn keep_checkpoint(&self) -> KeepCheckpoint;
}

/// A store, and the methods that need one.
pub(crate) struct ServedStore {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) methods: &'static dyn StoreMethods,
}

/// The author and the sessions of one connection.
pub(crate) struct Context {
    pub(crate) author: Arc<dyn ErasedAuthor>,
    pub(crate) parts: OptionalParts,
    pub(crate) about: About,
    pub(crate) environment: Arc<dyn Environment>,
    /// The sessions that are open on this connection.
    pub(crate) sessions: OpenSessions,
    /// All sessions.
    pub(crate) stored: StoredSessions,
    /// `None` for an agent without a store.
    pub(crate) store_methods: Option<&'static dyn StoreMethods>,
    pub(crate) cancel_grace: Duration,
}

impl Context {
    pub(crate) fn new(
        author: Arc<dyn ErasedAuthor>,
        environment: Arc<dyn Environment>,
        store: Option<ServedStore>,
        cancel_grace: Duration,
    ) -> Self {
        let (about, parts) = (author.about(), Arc::clone(&author).parts());
        let store_methods = store.as_ref().map(|store| store.methods);
        let store = store.map(|store| store.store);
        let stored = StoredSessions::new(store, about.name());
        let sessions = OpenSessions::default();
        Self { author, parts, about, environment, sessions, stored, store_methods, cancel_grace }
    }
}
