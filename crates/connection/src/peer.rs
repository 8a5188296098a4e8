//! A handle to the other end of a connection.

use crate::cancelled::CancelSwitch;
use crate::end::{CallError, ConnectionEnd};
use crate::offered::Offered;
use crate::outbox::Outbox;
use crate::pending::{Pending, Taken};
use crate::trace::Trace;
use attache_protocol::method::{Call, CancelRequest, Notification};
use attache_protocol::v1::CancelRequestNotification;
use attache_protocol::{DecodeError, Error, Raw, RequestId, WriteValue, envelope};
use std::borrow::Cow;
use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// A function that takes the outcome of one call on the reading task, before the caller wakes.
type Settle = Box<dyn FnOnce(Result<&str, CallError>) + Send>;

/// The other end of a connection. Cheap to clone. All clones share one connection.
///
/// No function here waits for the connection's driver, so all of them may be used anywhere, even
/// inside a handler. A handler awaits a call in the future that it returns, not in its synchronous
/// part.
#[derive(Clone)]
pub struct Peer(pub(crate) Arc<Shared>);

pub(crate) struct Shared {
    pub(crate) outbox: Outbox,
    pub(crate) trace: Trace,
    pending: Mutex<Pending<Settle, ConnectionEnd>>,
    incoming: Mutex<HashMap<RequestId, CancelSwitch>>,
    /// Set once, when the connection ends.
    pub(crate) end: watch::Sender<Option<ConnectionEnd>>,
    /// Set when this side asks to close the connection.
    pub(crate) closing: watch::Sender<bool>,
    pub(crate) offered: RwLock<Offered>,
}

impl Peer {
    pub(crate) fn new(outbox: Outbox, trace: Trace) -> Self {
        Self(Arc::new(Shared {
            outbox,
            trace,
            pending: Mutex::new(Pending::new()),
            incoming: Mutex::default(),
            end: watch::Sender::new(None),
            closing: watch::Sender::new(false),
            offered: RwLock::default(),
        }))
    }

    /// Sends a call. It is queued when this returns, and the returned future waits for the
    /// reply. Dropping that future sends `$/cancel_request`.
    ///
    /// # Errors
    /// The future fails at once with [`CallError::NotOffered`] if the peer does not advertise the
    /// method, and with [`CallError::Disconnected`] if the connection has ended. [`CallError`]
    /// lists what can happen later.
    pub fn call<M: Call>(&self, params: &M::Params) -> Reply<M::Result> {
        self.call_with_callback::<M>(params, |_| {})
    }

    /// Sends a call and passes its outcome to `callback` on the reading task, in wire order, before
    /// the next message is read and before the caller wakes. The callback must not wait. The
    /// callback also gets a reply that arrives after the caller gave up, unless the callers of 256
    /// later calls gave up too.
    pub fn call_with_callback<M: Call>(
        &self,
        params: &M::Params,
        callback: impl FnOnce(&Result<M::Result, CallError>) + Send + 'static,
    ) -> Reply<M::Result> {
        let closed = self
            .closed_gate(M::ROW)
            .map(|capability| CallError::NotOffered { method: M::ROW.name, capability });
        self.send_call(Cow::Borrowed(M::ROW.name), params, closed, M::decode_result, callback)
    }

    /// Calls a method outside the protocol. Its name starts with `_`. The params and the result can
    /// be any JSON.
    pub fn call_extension(&self, method: impl Into<String>, params: &Raw) -> Reply<Raw> {
        self.send_call(Cow::Owned(method.into()), params, None, attache_protocol::decode, |_| {})
    }

    /// Registers the call and queues its frame. A call that cannot be sent fails at once and has no
    /// id.
    fn send_call<R: Send + 'static>(
        &self,
        method: Cow<'static, str>,
        params: &dyn WriteValue,
        closed: Option<CallError>,
        decode: fn(&str) -> Result<R, DecodeError>,
        callback: impl FnOnce(&Result<R, CallError>) + Send + 'static,
    ) -> Reply<R> {
        let (sender, receiver) = oneshot::channel();
        let settle = move |outcome: Result<&str, CallError>| {
            let outcome = outcome.and_then(|text| decode(text).map_err(CallError::BadReply));
            // A panic in the callback must not reach the caller or other calls.
            let _ = catch_unwind(AssertUnwindSafe(|| callback(&outcome)));
            // The caller may have given up.
            let _ = sender.send(outcome);
        };
        let id = self.enqueue_call(&method, params, closed, Box::new(settle));
        Reply { peer: self.clone(), id, receiver, method }
    }

    /// The part of [`Self::send_call`] that is the same for all methods, so that it is compiled
    /// only once.
    fn enqueue_call(
        &self,
        method: &str,
        params: &dyn WriteValue,
        closed: Option<CallError>,
        settle: Settle,
    ) -> Option<RequestId> {
        if let Some(error) = closed {
            if let CallError::NotOffered { method, capability } = &error {
                self.0.trace.not_offered(method, capability);
            }
            settle(Err(error));
            return None;
        }
        let inserted = self.0.pending().insert(settle);
        match inserted {
            Ok(id) => {
                let id = RequestId::Number(id);
                self.0.trace.sent_call(method, &id);
                if let Err(end) =
                    self.0.outbox.enqueue(|out| envelope::write_call(out, &id, method, params))
                {
                    self.0.settle(&id, Err(end.into()));
                }
                Some(id)
            }
            Err((settle, end)) => {
                settle(Err(end.into()));
                None
            }
        }
    }

    /// Asks the peer to cancel a call that is still open.
    fn cancel_call(&self, id: &RequestId) {
        if let RequestId::Number(number) = id
            && self.0.pending().is_open(*number)
        {
            // If the connection has ended, so has the call.
            let _ = self.notify::<CancelRequest>(&CancelRequestNotification::new(id.clone()));
        }
    }

    /// Cancels a call whose caller no longer waits for the reply.
    fn give_up_call(&self, id: &RequestId) {
        self.cancel_call(id);
        if let RequestId::Number(number) = id {
            // Release the lock before the forgotten call is dropped.
            let forgotten = self.0.pending().give_up(*number);
            drop(forgotten);
        }
    }

    /// Sends a notification without waiting. Callers that send many await [`Peer::wait_for_room`]
    /// first.
    pub fn notify<M: Notification>(&self, params: &M::Params) -> Result<(), ConnectionEnd> {
        self.0.trace.sent_notification(M::ROW.name);
        self.0.outbox.enqueue(|out| envelope::write_notification(out, M::ROW.name, params))
    }

    /// Sends one message that is already encoded. White space around it is left out, and an empty
    /// text is not sent. For extensions, relays and tests.
    pub fn send_raw(&self, frame: &[u8]) -> Result<(), ConnectionEnd> {
        self.0.outbox.enqueue_encoded(frame)
    }

    /// Sends the message that `message` appends to the outbound queue, as one JSON object without a
    /// line feed. For messages that a caller encodes by itself because it sends many of them.
    pub fn send_encoded(&self, message: impl FnOnce(&mut Vec<u8>)) -> Result<(), ConnectionEnd> {
        self.0.outbox.enqueue(message)
    }

    /// Waits until the outbound queue has room. Callers that stream messages await this before each
    /// one, so that a slow peer slows them down and the queue does not fill the memory.
    pub async fn wait_for_room(&self) -> Result<(), ConnectionEnd> {
        self.0.outbox.room().await
    }

    /// Closes the connection from this side. Queued messages are still sent, within the grace
    /// period.
    pub fn close(&self) {
        self.0.closing.send_replace(true);
    }

    /// The `tracing` span of this connection. Its fields are `number`, which is unique in this
    /// process, `peer` (`agent` or `client`), and `name`, which the owner of the connection may
    /// record. Create spans of sessions and turns as its children.
    pub fn span(&self) -> &tracing::Span {
        &self.0.trace.span
    }

    /// Waits for the end of the connection and returns why it ended.
    pub async fn ended(&self) -> ConnectionEnd {
        let mut end = self.0.end.subscribe();
        // The sender lives as long as `self`, and the reason does not change once it is known.
        let known = end.wait_for(Option::is_some).await;
        known.ok().and_then(|end| end.clone()).unwrap_or(ConnectionEnd::Closed)
    }

    /// Returns why the connection ended, if it has.
    pub fn end(&self) -> Option<ConnectionEnd> {
        self.0.end.borrow().clone()
    }
}

impl std::fmt::Debug for Peer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (open, given_up) = {
            let pending = self.0.pending();
            (pending.len(), pending.given_up())
        };
        f.debug_struct("Peer")
            .field("open_calls", &open)
            .field("given_up_calls", &given_up)
            .field("end", &self.end())
            .finish()
    }
}

impl Shared {
    fn pending(&self) -> MutexGuard<'_, Pending<Settle, ConnectionEnd>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The peer's calls that this side has not answered yet.
    pub(crate) fn incoming(&self) -> MutexGuard<'_, HashMap<RequestId, CancelSwitch>> {
        self.incoming.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Settles the call with this id and returns whether its caller was waiting.
    pub(crate) fn settle(&self, id: &RequestId, outcome: Result<&str, CallError>) -> Settled {
        let RequestId::Number(id) = id else { return Settled::Unknown };
        let taken = self.pending().take(*id);
        match taken {
            Taken::Open(settle) => {
                settle(outcome);
                Settled::InTime
            }
            Taken::Late(settle) => {
                settle(outcome);
                Settled::Late
            }
            Taken::Unknown => Settled::Unknown,
        }
    }

    /// Fails every open call of this side with the cause. New calls fail too. Replies that this
    /// side owes may still be written.
    pub(crate) fn fail_calls(&self, end: &ConnectionEnd) {
        let open = self.pending().end(end.clone());
        open.into_iter().for_each(|settle| settle(Err(CallError::Disconnected(end.clone()))));
    }

    /// Ends the connection. Only the first reason is kept.
    pub(crate) fn finish(&self, end: &ConnectionEnd) {
        self.outbox.end(end);
        self.fail_calls(end);
        self.end.send_if_modified(|known| {
            let first = known.is_none();
            known.get_or_insert_with(|| end.clone());
            first
        });
    }
}

/// The effect of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Settled {
    /// The caller was waiting.
    InTime,
    /// The caller had given up.
    Late,
    /// No open call has this id.
    Unknown,
}

/// The future reply to a call.
#[must_use = "dropping a reply cancels the call"]
pub struct Reply<R> {
    peer: Peer,
    /// `None` if nothing was sent or the reply was taken.
    id: Option<RequestId>,
    receiver: oneshot::Receiver<Result<R, CallError>>,
    method: Cow<'static, str>,
}

impl<R> Reply<R> {
    /// Asks the peer to cancel the call, and still waits for the reply, which may then be partial
    /// or an error. Does nothing if the reply has arrived.
    pub fn cancel(&self) {
        if let Some(id) = &self.id {
            self.peer.cancel_call(id);
        }
    }

    /// Waits for at most this long.
    pub async fn within(mut self, deadline: Duration) -> Result<R, CallError> {
        match tokio::time::timeout(deadline, poll_fn(|context| Pin::new(&mut self).poll(context)))
            .await
        {
            Ok(outcome) => outcome,
            Err(_) => {
                self.peer.0.trace.timed_out(&self.method, deadline);
                Err(CallError::TimedOut { method: self.method.clone(), after: deadline })
            }
        }
    }
}

impl<R> Future for Reply<R> {
    type Output = Result<R, CallError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let outcome = std::task::ready!(Pin::new(&mut self.receiver).poll(context));
        self.id = None;
        // Every call in the table gets an outcome, at the latest when the connection ends.
        Poll::Ready(outcome.unwrap_or(Err(CallError::Disconnected(ConnectionEnd::Closed))))
    }
}

impl<R> Drop for Reply<R> {
    fn drop(&mut self) {
        if let Some(id) = self.id.take() {
            self.peer.give_up_call(&id);
        }
    }
}

impl<R> std::fmt::Debug for Reply<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reply")
            .field("method", &self.method)
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// The error for a call beyond the limit of open calls.
pub(crate) fn busy(limit: usize) -> Error {
    Error::internal(format!("too many calls at once: this side serves {limit}"))
}
