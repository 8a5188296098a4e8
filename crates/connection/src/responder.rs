//! The duty to answer one incoming call.

use crate::cancelled::Cancelled;
use crate::peer::Peer;
use attache_protocol::method::Call;
use attache_protocol::{Error, RequestId, Wire, envelope};
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;

/// What accepting a call leaves to be done: nothing, or a future that the connection polls once in
/// place and then owns.
pub type Work = Option<Pin<Box<dyn Future<Output = ()> + Send>>>;

/// The duty to answer one call of the peer, exactly once (RPC-15).
///
/// Dropping it unanswered answers `-32603`, so no path, not even a panic, leaves the peer waiting
/// (RPC-27).
#[must_use = "dropping an answer unanswered is an internal error"]
pub struct Responder<M: Call> {
    duty: ReplyGuard,
    method: PhantomData<fn() -> M>,
}

/// The untyped part: the id, and whether it was answered.
pub(crate) struct ReplyGuard {
    pub(crate) peer: Peer,
    pub(crate) id: Option<RequestId>,
    pub(crate) cancelled: Cancelled,
}

impl ReplyGuard {
    pub(crate) fn settle(&mut self, outcome: Result<&impl Wire, &Error>) {
        let Some(id) = self.id.take() else { return };
        self.peer.0.incoming().remove(&id);
        self.peer.0.trace.sent_reply(&id, outcome.as_ref().err().copied());
        // A peer that is gone needs no answer.
        let _ = self.peer.0.outbox.enqueue(|out| envelope::write_reply(out, &id, outcome));
    }

    pub(crate) fn refuse(&mut self, error: &Error) {
        self.settle(Err::<&bool, _>(error));
    }
}

impl Drop for ReplyGuard {
    fn drop(&mut self) {
        if self.id.is_some() {
            self.refuse(&Error::internal("the call ended without an answer"));
        }
    }
}

impl<M: Call> Responder<M> {
    pub(crate) fn new(duty: ReplyGuard) -> Self {
        Self { duty, method: PhantomData }
    }

    /// Answers now. The line is queued behind everything this side queued before (RPC-29) and never
    /// waits for room: replies are owed.
    pub fn send(mut self, outcome: Result<M::Result, Error>) -> Work {
        self.duty.settle(outcome.as_ref());
        None
    }

    /// Answers with `-32601`: this side does not serve the method (RPC-16).
    pub fn method_not_found(self) -> Work {
        self.send(Err(Error::method_not_found(M::ROW.name)))
    }

    /// Answers with what `work` comes to. A cancelled call is dropped where it stands and answered
    /// `-32800` (CANCEL-14).
    pub fn later(
        self,
        work: impl Future<Output = Result<M::Result, Error>> + Send + 'static,
    ) -> Work {
        self.later_with(move |answer| async move {
            let outcome = answer.cancelled().or(work).await;
            answer.send(outcome);
        })
    }

    /// Hands the answer to `work`, which watches [`Responder::cancelled`] by itself.
    pub fn later_with<F: Future<Output = ()> + Send + 'static>(
        self,
        work: impl FnOnce(Self) -> F,
    ) -> Work {
        Some(Box::pin(work(self)))
    }

    /// Whether the caller still wants the answer.
    pub fn cancelled(&self) -> &Cancelled {
        &self.duty.cancelled
    }

    /// Who called.
    pub fn peer(&self) -> &Peer {
        &self.duty.peer
    }

    /// The call's id on the wire.
    pub fn id(&self) -> Option<&RequestId> {
        self.duty.id.as_ref()
    }
}

impl<M: Call> std::fmt::Debug for Responder<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Responder")
            .field("method", &M::ROW.name)
            .field("id", &self.duty.id)
            .finish_non_exhaustive()
    }
}
