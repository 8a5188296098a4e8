//! Notices about MCP servers. A client that supports notices gets them at once; other clients get
//! them with the next turn.

use attache_agent::{Opening, SessionHandle};
use attache_protocol::v1::{Notice, NoticeSeverity};
use std::sync::{Mutex, PoisonError};

/// The maximum number of sentences that are kept for the next turn.
const MOST: usize = 64;

/// The notices about the servers of a session.
#[derive(Debug)]
pub(super) struct ServerNotices {
    /// The session, if the client supports notices (NOTE-02).
    notices: Option<SessionHandle>,
    untold: Mutex<Vec<String>>,
}

impl ServerNotices {
    pub(super) fn new(opening: &Opening<'_>) -> Self {
        let takes =
            opening.client().session.as_ref().is_some_and(|session| session.notices.is_some());
        Self { notices: takes.then(|| opening.handle()), untold: Mutex::default() }
    }

    /// Sends a notice, which has a headline and details.
    pub(super) async fn tell(&self, what: String, more: &str) {
        self.tell_after(what, more, || ()).await;
    }

    /// Sets a state and sends a notice. The state does not wait for a client that reads slowly. The
    /// first turn begins when the state is known, so a notice for a turn is kept before.
    pub(super) async fn tell_after(&self, what: String, more: &str, set: impl FnOnce()) {
        let mut notice = Notice::new(NoticeSeverity::Warning, what.as_str());
        notice.description = Some(more.to_owned());
        if let Some(session) = &self.notices {
            set();
            // An error means that the session or the client is gone.
            drop(session.notice(notice).await);
            return;
        }
        {
            let mut untold = self.untold.lock().unwrap_or_else(PoisonError::into_inner);
            if untold.len() < MOST {
                untold.push(format!("{what}: {more}"));
            }
        }
        set();
    }

    /// Takes the sentences that are kept for the next turn.
    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.untold.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
