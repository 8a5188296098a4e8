//! The state that all calls of one connection share.

use crate::author::erased_author::ErasedAuthor;
use crate::serve::open_sessions::OpenSessions;
use crate::store::stored_sessions::StoredSessions;
use crate::{About, Environment, OptionalParts};
use attache_session::Store;
use std::sync::Arc;
use std::time::Duration;

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
    pub(crate) cancel_grace: Duration,
}

impl Context {
    pub(crate) fn new(
        author: Arc<dyn ErasedAuthor>,
        environment: Arc<dyn Environment>,
        store: Option<Arc<dyn Store>>,
        cancel_grace: Duration,
    ) -> Self {
        let (about, parts) = (author.about(), Arc::clone(&author).parts());
        let stored = StoredSessions::new(store, about.name());
        let sessions = OpenSessions::default();
        Self { author, parts, about, environment, sessions, stored, cancel_grace }
    }
}
