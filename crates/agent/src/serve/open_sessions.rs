//! The open sessions of one connection.

use crate::author::erased_author::Memory;
use crate::session::open_session::OpenSession;
use crate::{Error, Result};
use attache_protocol::v1::SessionId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An open session and the author's memory of it.
pub(crate) struct ServedSession {
    pub(crate) session: Arc<OpenSession>,
    /// Locked by the turn that runs. `None` once the session is closed.
    pub(crate) memory: tokio::sync::Mutex<Option<Memory>>,
}

/// All open sessions by id.
#[derive(Default)]
pub(crate) struct OpenSessions(Mutex<HashMap<SessionId, Arc<ServedSession>>>);

impl OpenSessions {
    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<ServedSession>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn insert(&self, session: Arc<OpenSession>, memory: Memory) {
        let memory = tokio::sync::Mutex::new(Some(memory));
        self.put_back(Arc::new(ServedSession { session, memory }));
    }

    /// Reopens a session that was removed.
    pub(crate) fn put_back(&self, served: Arc<ServedSession>) {
        self.lock().insert(served.session.id.clone(), served);
    }

    /// Returns the session, or the error for a client that names a session that is not open
    /// (SESS-21).
    pub(crate) fn get(
        &self,
        id: &SessionId,
    ) -> std::result::Result<Arc<ServedSession>, attache_protocol::Error> {
        let served = self.lock().get(id).map(Arc::clone);
        served.ok_or_else(|| attache_protocol::Error::resource_not_found_session(id.as_str()))
    }

    /// Returns every open session, in no particular order.
    pub(crate) fn all(&self) -> Vec<Arc<ServedSession>> {
        self.lock().values().map(Arc::clone).collect()
    }

    /// Checks that no session with this id is open.
    ///
    /// # Errors
    /// Returns [`Error::Invalid`] if such a session is open.
    pub(crate) fn check_free(&self, id: &SessionId) -> Result<()> {
        match self.lock().contains_key(id) {
            true => {
                Err(Error::invalid(format!("the session {id} is already open: close it first")))
            }
            false => Ok(()),
        }
    }

    /// Sends all titles and metadata that the client does not know yet, so that a list contains
    /// nothing newer (INFO-05).
    pub(crate) fn send_info(&self) -> Result<()> {
        self.all().iter().try_for_each(|served| served.session.state().send_info())
    }

    /// Removes the session: later calls that name it find nothing.
    pub(crate) fn remove(&self, id: &SessionId) -> Option<Arc<ServedSession>> {
        self.lock().remove(id)
    }

    /// Closes all sessions because the connection is over. Their events are stored as far as
    /// possible, and other connections can open the sessions.
    pub(crate) async fn end(&self) {
        let commits: Vec<_> =
            self.lock().values().map(|served| served.session.state().commit()).collect();
        for commit in commits {
            // There is no client to receive the error.
            let _ = commit.await;
        }
        self.close_all();
    }

    /// Releases all logs. A task of the author may still hold a turn that is over; such a turn must
    /// not keep the log open.
    fn close_all(&self) {
        self.lock().drain().for_each(|(_, served)| served.session.defer(|state| state.close()));
    }
}

impl Drop for OpenSessions {
    fn drop(&mut self) {
        self.close_all();
    }
}
