//! Notices about MCP servers: sent at once to a client that takes notices, else with the next turn.

use attache_agent::{Opening, SessionHandle};
use attache_protocol::v1::{Notice, NoticeSeverity};
use std::sync::{Mutex, PoisonError};

/// How many sentences wait for a turn at most.
const MOST: usize = 64;

/// The notices about the servers of a session.
#[derive(Debug)]
pub(super) struct ServerNotices {
    /// The session, if its client takes notices (NOTE-02).
    notices: Option<SessionHandle>,
    untold: Mutex<Vec<String>>,
}

impl ServerNotices {
    pub(super) fn new(opening: &Opening<'_>) -> Self {
        let takes =
            opening.client().session.as_ref().is_some_and(|session| session.notices.is_some());
        Self { notices: takes.then(|| opening.handle()), untold: Mutex::default() }
    }

    /// Says what happened, and more about it.
    pub(super) async fn tell(&self, what: String, more: &str) {
        let mut notice = Notice::new(NoticeSeverity::Warning, what.as_str());
        notice.description = Some(more.to_owned());
        if let Some(session) = &self.notices {
            // An error means that the session or its client is gone, and nobody is there to be
            // told.
            drop(session.notice(notice).await);
            return;
        }
        let mut untold = self.untold.lock().unwrap_or_else(PoisonError::into_inner);
        if untold.len() < MOST {
            untold.push(format!("{what}: {more}"));
        }
    }

    /// What is to be said in a turn.
    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.untold.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
