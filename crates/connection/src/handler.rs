//! Handlers of incoming messages. The traits and the dispatch by wire name are derived from the
//! method table.

mod sides;
pub(crate) mod v1;
pub mod v2;

use crate::responder::ReplyGuard;
use crate::unhandled::Unhandled;
use crate::{Peer, Responder, Work};
use attache_protocol::method::{self, Method, Side};
use attache_protocol::{DecodeError, Error, Raw, RequestId, WriteValue};
use std::future::Future;
use std::task::{Context, Poll};

/// Handles incoming messages, one by one, in wire order. All functions are synchronous: they
/// cannot wait for the peer and so cannot deadlock, and an update is applied before the next
/// message is read. A panic in one of them ends only the message that it handles.
pub trait Handler: Send + 'static {
    /// The side that this handler serves.
    const SIDE: Side;

    /// Handles a notification. An `Err` means that the params cannot be decoded; the notification
    /// is then dropped without an answer.
    fn notification(
        &mut self,
        peer: &Peer,
        name: &str,
        params: Option<&str>,
    ) -> Result<(), DecodeError>;

    /// Handles a call. The handler decodes it, and answers it right away or with the returned work.
    fn call(&mut self, call: IncomingCall<'_>) -> Work;

    /// Polled before each frame is handled. An implementation may wait for something on this
    /// machine, such as a full log or a slow screen, but never for the peer.
    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }

    /// Receives a frame, reply or notification that could not be used, so that it can be logged.
    /// The connection continues.
    fn unhandled(&mut self, _unhandled: Unhandled<'_>) {}

    /// Called once when the connection ends, before this side's open calls fail.
    fn ended(&mut self, _end: &crate::ConnectionEnd) {}
}

/// A call of the peer, not decoded yet.
#[derive(Debug)]
pub struct IncomingCall<'l> {
    pub(crate) guard: ReplyGuardHolder,
    /// The wire name.
    pub name: &'l str,
    /// The text of `params`.
    pub params: Option<&'l str>,
}

/// Keeps the reply guard private.
pub(crate) struct ReplyGuardHolder(pub(crate) ReplyGuard);

impl std::fmt::Debug for ReplyGuardHolder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.id.fmt(f)
    }
}

impl IncomingCall<'_> {
    /// Replies `-32601`.
    pub fn method_not_found(mut self) -> Work {
        self.guard.0.refuse(&Error::method_not_found(self.name));
        None
    }

    /// Replies with the text of one JSON value. For extensions.
    pub fn answer_raw(mut self, result: &str) -> Work {
        match Raw::from_text(result) {
            Ok(result) => self.guard.0.settle(Ok(&result)),
            Err(error) => {
                self.guard.0.refuse(&Error::internal(format!("the answer is not JSON: {error}")))
            }
        }
        None
    }

    /// Replies with the outcome of `work`. For extensions. A cancelled call drops `work` and is
    /// answered with `-32800`.
    pub fn later(self, work: impl Future<Output = Result<Raw, Error>> + Send + 'static) -> Work {
        let mut guard = self.guard.0;
        Some(Box::pin(async move {
            let outcome = guard.cancelled.clone().or(work).await;
            guard.settle(outcome.as_ref().map(|result| result as &dyn WriteValue));
        }))
    }

    /// Replies with an error.
    pub fn refuse(mut self, error: &Error) -> Work {
        self.guard.0.refuse(error);
        None
    }

    /// The peer that called.
    pub fn peer(&self) -> &Peer {
        &self.guard.0.peer
    }

    /// The call's id on the wire.
    pub fn id(&self) -> Option<&RequestId> {
        self.guard.0.id.as_ref()
    }

    /// Passes the responder to `answer`, without decoding the params.
    pub fn answer<M: method::Call>(self, answer: impl FnOnce(Responder<M>) -> Work) -> Work {
        answer(Responder::new(self.guard.0))
    }

    /// Decodes the params and passes the call to `side`, which also receives the dropped values.
    fn accept_for<M: method::Call, T: Unhandling>(
        self,
        side: &mut T,
        accept: fn(&mut T, M::Params, Responder<M>) -> Work,
    ) -> Work {
        match decode_for::<M>(side, self.params) {
            Ok(params) => accept(side, params, Responder::new(self.guard.0)),
            Err(error) => self.refuse_params(&error),
        }
    }

    /// Not generic, because a generic function would be compiled again for each method.
    #[inline(never)]
    fn refuse_params(self, error: &DecodeError) -> Work {
        self.refuse(&Error::invalid_params(error.to_string()))
    }
}

/// Receives the values that decoding dropped.
trait Unhandling {
    fn wants_dropped(&self) -> bool;
    fn dropped(&mut self, unhandled: Unhandled<'_>);
}

/// Decodes params and reports the dropped values to `side`, if it wants them.
fn decode_for<M: Method>(
    side: &mut dyn Unhandling,
    params: Option<&str>,
) -> Result<M::Params, DecodeError> {
    let (decoded, dropped) = M::decode_params_reporting(params, side.wants_dropped())?;
    show_dropped(side, M::ROW.name, dropped);
    Ok(decoded)
}

/// Not generic, because a generic function would be compiled again for each method.
#[inline(never)]
fn show_dropped(side: &mut dyn Unhandling, method: &str, dropped: Vec<DecodeError>) {
    if !dropped.is_empty() {
        crate::trace::unhandled(&Unhandled::Dropped(method, &dropped));
        side.dropped(Unhandled::Dropped(method, &dropped));
    }
}
