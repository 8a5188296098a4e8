//! The obligation to answer one incoming call.

use crate::cancelled::Cancelled;
use crate::peer::Peer;
use attache_protocol::method::Call;
use attache_protocol::{Error, RequestId, WriteValue, envelope};
use std::future::Future;
use std::pin::Pin;

/// The work that remains after a call is accepted: none, or a future that the connection polls once
/// right away and then owns.
pub type Work = Option<Pin<Box<dyn Future<Output = ()> + Send>>>;

/// Answers one call of the peer, exactly once.
///
/// Dropping it without an answer replies `-32603`, so the peer always gets an answer, even after a
/// panic.
#[must_use = "dropping a responder replies with an internal error"]
pub struct Responder<M: Call> {
    guard: ReplyGuard,
    /// Sends a result as the result of the method that was called, if that is another method.
    translate: Option<Translate<M::Result>>,
}

/// Replies with a result of another type.
type Translate<R> = Box<dyn FnOnce(&mut ReplyGuard, R) + Send>;

/// The part of a responder that does not depend on the method: the call's id, and whether it is
/// answered.
pub(crate) struct ReplyGuard {
    pub(crate) peer: Peer,
    pub(crate) id: Option<RequestId>,
    pub(crate) cancelled: Cancelled,
}

impl ReplyGuard {
    pub(crate) fn settle(&mut self, outcome: Result<&dyn WriteValue, &Error>) {
        let Some(id) = self.id.take() else { return };
        self.peer.0.incoming().remove(&id);
        self.peer.0.trace.sent_reply(&id, outcome.as_ref().err().copied());
        // An error means that the peer is gone and needs no answer.
        let _ = self.peer.0.outbox.enqueue(|out| envelope::write_reply(out, &id, outcome));
    }

    pub(crate) fn refuse(&mut self, error: &Error) {
        self.settle(Err(error));
    }
}

impl Drop for ReplyGuard {
    fn drop(&mut self) {
        if self.id.is_some() {
            self.refuse(&Error::internal("the handler ended without an answer"));
        }
    }
}

impl<M: Call> Responder<M> {
    pub(crate) fn new(guard: ReplyGuard) -> Self {
        Self { guard, translate: None }
    }

    /// Replies now. The reply is queued after all earlier messages of this side. This never waits
    /// for room, because every call must be answered.
    pub fn send(mut self, outcome: Result<M::Result, Error>) -> Work {
        match (self.translate.take(), outcome) {
            (Some(translate), Ok(result)) => translate(&mut self.guard, result),
            (_, outcome) => {
                self.guard.settle(outcome.as_ref().map(|result| result as &dyn WriteValue));
            }
        }
        None
    }

    /// Returns a responder that answers this call with the result of another method that has a
    /// result of the same type, for example of the same method in another version.
    pub fn cast<N: Call<Result = M::Result>>(self) -> Responder<N> {
        Responder { guard: self.guard, translate: self.translate }
    }

    /// Returns a responder that answers this call with the result of another method, for example of
    /// the same method in another version. `into` turns that result into the result of this method.
    pub fn map<N: Call>(
        self,
        into: impl FnOnce(N::Result) -> M::Result + Send + 'static,
    ) -> Responder<N> {
        let Self { guard, translate } = self;
        let translate = move |guard: &mut ReplyGuard, result| match (translate, into(result)) {
            (Some(translate), result) => translate(guard, result),
            (None, result) => guard.settle(Ok(&result)),
        };
        Responder { guard, translate: Some(Box::new(translate)) }
    }

    /// Replies `-32601`: this side does not serve the method.
    pub fn method_not_found(self) -> Work {
        self.send(Err(Error::method_not_found(M::ROW.name)))
    }

    /// Replies with the outcome of `work`. A cancelled call drops `work` and is answered with
    /// `-32800`.
    pub fn later(
        self,
        work: impl Future<Output = Result<M::Result, Error>> + Send + 'static,
    ) -> Work {
        self.later_with(move |responder| async move {
            let outcome = responder.cancelled().or(work).await;
            responder.send(outcome);
        })
    }

    /// Passes the responder to `work`, which watches [`Responder::cancelled`] itself.
    pub fn later_with<F: Future<Output = ()> + Send + 'static>(
        self,
        work: impl FnOnce(Self) -> F,
    ) -> Work {
        Some(Box::pin(work(self)))
    }

    /// Tells whether the caller cancelled the call.
    pub fn cancelled(&self) -> &Cancelled {
        &self.guard.cancelled
    }

    /// The peer that called.
    pub fn peer(&self) -> &Peer {
        &self.guard.peer
    }

    /// The call's id on the wire.
    pub fn id(&self) -> Option<&RequestId> {
        self.guard.id.as_ref()
    }
}

impl<M: Call> std::fmt::Debug for Responder<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Responder")
            .field("method", &M::ROW.name)
            .field("id", &self.guard.id)
            .finish_non_exhaustive()
    }
}
