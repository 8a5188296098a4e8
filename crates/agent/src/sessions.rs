//! The open sessions of one connection.

use crate::open_session::OpenSession;
use crate::{Error, Result};
use attache_protocol::v1::SessionId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A session and what its author keeps of it.
pub(crate) struct Held<M> {
    pub(crate) session: Arc<OpenSession>,
    /// Held by the turn that runs. `None` once closed.
    pub(crate) memory: tokio::sync::Mutex<Option<M>>,
}

/// All open sessions.
pub(crate) struct Sessions<M>(Mutex<HashMap<SessionId, Arc<Held<M>>>>);

impl<M> Sessions<M> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(HashMap::new()))
    }

    fn open(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<Held<M>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn insert(&self, session: Arc<OpenSession>, memory: M) {
        self.put_back(Arc::new(Held { session, memory: tokio::sync::Mutex::new(Some(memory)) }));
    }

    /// A session that was taken out is open again.
    pub(crate) fn put_back(&self, held: Arc<Held<M>>) {
        self.open().insert(held.session.id.clone(), held);
    }

    /// The session, or what a client is told that names no open one (SESS-21).
    pub(crate) fn get(
        &self,
        id: &SessionId,
    ) -> std::result::Result<Arc<Held<M>>, attache_protocol::Error> {
        let held = self.open().get(id).map(Arc::clone);
        held.ok_or_else(|| attache_protocol::Error::resource_not_found_session(id.as_str()))
    }

    /// Returns every open session, in no order.
    pub(crate) fn all(&self) -> Vec<Arc<Held<M>>> {
        self.open().values().map(Arc::clone).collect()
    }

    /// Whether a session with this id may be opened.
    ///
    /// # Errors
    /// [`Error::Invalid`] if it is open.
    pub(crate) fn is_free(&self, id: &SessionId) -> Result<()> {
        match self.open().contains_key(id) {
            true => {
                Err(Error::invalid(format!("the session {id} is open already: close it first")))
            }
            false => Ok(()),
        }
    }

    /// Tells the client each title and metadata that it was not told yet, so that a list holds
    /// nothing newer (INFO-05).
    pub(crate) fn tell_info(&self) -> Result<()> {
        self.all().iter().try_for_each(|held| held.session.send_info(&mut held.session.state()))
    }

    /// Takes the session out: calls that name it from now on find nothing.
    pub(crate) fn remove(&self, id: &SessionId) -> Option<Arc<Held<M>>> {
        self.open().remove(id)
    }

    /// The connection is over: what was said is stored as far as possible, and others may open the
    /// sessions.
    pub(crate) async fn end(&self) {
        let commits: Vec<_> =
            self.open().values().map(|held| held.session.state().commit()).collect();
        for commit in commits {
            // Nobody is left to be told.
            let _ = commit.await;
        }
        self.close_all();
    }

    /// Gives all logs back. A task of the author's may have a turn that is over, and must not keep
    /// them.
    fn close_all(&self) {
        self.open()
            .drain()
            .for_each(|(_, held)| held.session.settle_on_drop(|_, state| state.close()));
    }
}

impl<M> Drop for Sessions<M> {
    fn drop(&mut self) {
        self.close_all();
    }
}
