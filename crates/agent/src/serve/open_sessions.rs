//! The open sessions of one connection.

use crate::author::erased_author::Memory;
use crate::session::open_session::OpenSession;
use crate::{Error, Result};
use attache_protocol::v1::SessionId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// An open session and the author's memory of it.
pub(crate) struct ServedSession {
    pub(crate) session: Arc<OpenSession>,
    /// Locked by the turn that runs. `None` once the session is closed.
    pub(crate) memory: tokio::sync::Mutex<Option<Memory>>,
    /// Announces the end of each attempt to close the session.
    close_ended: watch::Sender<()>,
}

/// All open sessions by id, and those that are being closed.
#[derive(Default)]
pub(crate) struct OpenSessions(Mutex<Sessions>);

#[derive(Default)]
struct Sessions {
    open: HashMap<SessionId, Arc<ServedSession>>,
    /// The sessions that a running close has removed.
    closing: HashMap<SessionId, Arc<ServedSession>>,
}

impl OpenSessions {
    fn lock(&self) -> MutexGuard<'_, Sessions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn insert(&self, session: Arc<OpenSession>, memory: Memory) {
        let memory = tokio::sync::Mutex::new(Some(memory));
        let close_ended = watch::Sender::new(());
        let served = Arc::new(ServedSession { session, memory, close_ended });
        self.lock().open.insert(served.session.id.clone(), served);
    }

    /// Returns the session, or the error for a client that names a session that is not open
    /// (SESS-21).
    pub(crate) fn get(
        &self,
        id: &SessionId,
    ) -> std::result::Result<Arc<ServedSession>, attache_protocol::Error> {
        let served = self.lock().open.get(id).map(Arc::clone);
        served.ok_or_else(|| attache_protocol::Error::resource_not_found_session(id.as_str()))
    }

    /// Checks that no session with this id is open.
    ///
    /// # Errors
    /// Returns [`Error::Invalid`] if such a session is open.
    pub(crate) fn check_free(&self, id: &SessionId) -> Result<()> {
        match self.lock().open.contains_key(id) {
            true => {
                Err(Error::invalid(format!("the session {id} is already open: close it first")))
            }
            false => Ok(()),
        }
    }

    /// Returns every session that is open or being closed, in no particular order.
    pub(crate) fn all(&self) -> Vec<Arc<ServedSession>> {
        let sessions = self.lock();
        sessions.open.values().chain(sessions.closing.values()).map(Arc::clone).collect()
    }

    /// Sends all titles and metadata that the client does not know yet, so that a list contains
    /// nothing newer (INFO-05).
    pub(crate) fn send_info(&self) -> Result<()> {
        self.all().iter().try_for_each(|served| served.session.state().send_info())
    }

    /// Removes the session, to close it: later calls that name it find nothing. Hold a
    /// [`RunningClose`] until the close has ended.
    pub(crate) fn remove(&self, id: &SessionId) -> Option<Arc<ServedSession>> {
        let mut sessions = self.lock();
        let served = sessions.open.remove(id)?;
        sessions.closing.insert(id.clone(), Arc::clone(&served));
        Some(served)
    }

    /// Returns the end of the close of this session that runs; `None` if none runs.
    pub(crate) fn closing(&self, id: &SessionId) -> Option<watch::Receiver<()>> {
        self.lock().closing.get(id).map(|served| served.close_ended.subscribe())
    }

    /// Notes that the close of a session has ended. If it failed, the session is open again.
    fn end_close(&self, served: &Arc<ServedSession>, failed: bool) {
        let id = &served.session.id;
        let mut sessions = self.lock();
        // Another session with this id may have been opened and be closing.
        if sessions.closing.get(id).is_some_and(|closing| Arc::ptr_eq(closing, served)) {
            sessions.closing.remove(id);
        }
        if failed {
            sessions.open.insert(id.clone(), Arc::clone(served));
        }
        // Still locked, so that a later close is not announced by this one.
        served.close_ended.send_replace(());
    }

    /// Closes all sessions because the connection is over. Their events are stored as far as
    /// possible, and other connections can open the sessions.
    pub(crate) async fn end(&self) {
        let commits: Vec<_> =
            self.lock().open.values().map(|served| served.session.state().commit()).collect();
        for commit in commits {
            // There is no client to receive the error.
            let _ = commit.await;
        }
        self.close_all();
    }

    /// Releases all logs. A task of the author may still hold a turn that is over; such a turn must
    /// not keep the log open.
    fn close_all(&self) {
        let open = std::mem::take(&mut self.lock().open);
        open.into_values().for_each(|served| served.session.defer(|state| state.close()));
    }
}

/// The close of a session, from its removal. Dropping it ends the close.
pub(crate) struct RunningClose<'s> {
    sessions: &'s OpenSessions,
    served: &'s Arc<ServedSession>,
    failed: bool,
}

impl<'s> RunningClose<'s> {
    pub(crate) fn new(sessions: &'s OpenSessions, served: &'s Arc<ServedSession>) -> Self {
        Self { sessions, served, failed: false }
    }

    /// Ends the close of a session that cannot be stored. The session is open again.
    pub(crate) fn fail(mut self) {
        self.failed = true;
    }
}

impl Drop for RunningClose<'_> {
    fn drop(&mut self) {
        self.sessions.end_close(self.served, self.failed);
    }
}

impl Drop for OpenSessions {
    fn drop(&mut self) {
        self.close_all();
    }
}
