//! Handlers of incoming messages. The traits and the dispatch by wire name are derived from the
//! method table.

mod sides;
pub(crate) mod v1;
pub mod v2;

use crate::responder::ReplyGuard;
use crate::unhandled::Unhandled;
use crate::{Cancelled, Peer, Responder, Work};
use attache_protocol::method::{self, Method, Row, Side};
use attache_protocol::{DecodeError, Error, Fault, Raw, Reader, RequestId, Wire, WriteValue};
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

    /// Handles a frame that the handler recognizes by its bytes as a notification, without decoding
    /// all of it, and returns the method. Any other frame returns `None` and is decoded as usual.
    ///
    /// The handler may merge such notifications until [`Handler::flush`] is called.
    fn recognize(&mut self, _frame: &[u8]) -> Option<&'static str> {
        None
    }

    /// Applies everything that [`Handler::recognize`] merged. Called before each frame that is not
    /// recognized, and before the connection waits for more frames or for this handler.
    fn flush(&mut self) {}

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
        let cancelled = self.cancelled().clone();
        self.later_whole(async move { cancelled.or(work).await })
    }

    /// Replies with the outcome of `work`, which watches [`IncomingCall::cancelled`] itself. For
    /// extensions.
    pub fn later_whole(
        self,
        work: impl Future<Output = Result<Raw, Error>> + Send + 'static,
    ) -> Work {
        let mut guard = self.guard.0;
        Some(Box::pin(async move {
            let outcome = work.await;
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

    /// Tells whether the caller cancelled the call.
    pub fn cancelled(&self) -> &Cancelled {
        &self.guard.0.cancelled
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
        let mut params = None;
        let guard = self.decode(side, M::ROW, &mut |reader| {
            params = Some(M::Params::read(reader)?);
            Ok(())
        })?;
        // Without params, the guard is dropped, and the peer gets an error.
        accept(side, params?, Responder::new(guard))
    }

    /// Decodes the params with `read`. If that fails, replies with the error and returns `None`.
    /// Not generic, because a generic function would be compiled again for each method.
    fn decode(
        mut self,
        side: &mut dyn Unhandling,
        row: &Row,
        read: Read<'_>,
    ) -> Option<ReplyGuard> {
        match read_params(side, row, self.params, read) {
            Ok(()) => Some(self.guard.0),
            Err(error) => {
                self.guard.0.refuse(&Error::invalid_params(error.to_string()));
                None
            }
        }
    }
}

/// A function that reads a value and keeps it.
type Read<'r> = &'r mut dyn FnMut(&mut Reader<'_>) -> Result<(), Fault>;

/// Receives the values that decoding dropped.
trait Unhandling {
    fn wants_dropped(&self) -> bool;
    fn dropped(&mut self, unhandled: Unhandled<'_>);
}

/// Decodes the params of a notification, and reports the dropped values to `side` if it wants them.
fn decode_for<M: Method>(
    side: &mut dyn Unhandling,
    params: Option<&str>,
) -> Result<Option<M::Params>, DecodeError> {
    let mut decoded = None;
    read_params(side, M::ROW, params, &mut |reader| {
        decoded = Some(M::Params::read(reader)?);
        Ok(())
    })?;
    Ok(decoded)
}

/// Decodes params with `read`, and reports the dropped values to `side` if it wants them.
fn read_params(
    side: &mut dyn Unhandling,
    row: &Row,
    params: Option<&str>,
    read: Read<'_>,
) -> Result<(), DecodeError> {
    let dropped = row.read_params(params, side.wants_dropped(), read)?;
    if !dropped.is_empty() {
        crate::trace::unhandled(&Unhandled::Dropped(row.name, &dropped));
        side.dropped(Unhandled::Dropped(row.name, &dropped));
    }
    Ok(())
}
