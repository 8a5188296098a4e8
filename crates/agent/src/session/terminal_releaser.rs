//! Releasing terminals of the client without waiting for its replies.

use attache_connection::{Peer, Reply};
use attache_protocol::method::TerminalRelease;
use attache_protocol::v1::{
    ReleaseTerminalRequest, ReleaseTerminalResponse, SessionId, TerminalId,
};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Waker};

/// Calls of `terminal/release` that have no reply yet. They are kept because dropping such a call
/// cancels it.
#[derive(Debug, Default)]
pub(crate) struct PendingReleases(Mutex<Vec<Reply<ReleaseTerminalResponse>>>);

/// Releases terminals of one session, even after the session is closed.
#[derive(Clone)]
pub(crate) struct TerminalReleaser {
    peer: Peer,
    session_id: SessionId,
    pending: Arc<PendingReleases>,
}

impl TerminalReleaser {
    /// `pending` is shared by a session and its subagents.
    pub(crate) fn new(peer: Peer, session_id: SessionId, pending: Arc<PendingReleases>) -> Self {
        Self { peer, session_id, pending }
    }

    pub(crate) fn pending(&self) -> Arc<PendingReleases> {
        Arc::clone(&self.pending)
    }

    /// Sends `terminal/release` and does not wait for the reply.
    pub(crate) fn release(&self, id: &TerminalId) {
        let request = ReleaseTerminalRequest::new(self.session_id.clone(), id.clone());
        let reply = self.peer.call::<TerminalRelease>(&request);
        let mut pending = self.pending.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut context = Context::from_waker(Waker::noop());
        pending.retain_mut(|reply| Pin::new(reply).poll(&mut context).is_pending());
        pending.push(reply);
    }
}
