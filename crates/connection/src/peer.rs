//! The other end of a connection, as a handle.

use crate::cancelled::CancelSwitch;
use crate::end::{CallError, End};
use crate::outbox::Outbox;
use crate::pending::{Pending, Taken};
use crate::trace::Trace;
use attache_protocol::method::{Call, CancelRequest, Gate, Notification};
use attache_protocol::v1::{AgentCapabilities, CancelRequestNotification, ClientCapabilities};
use attache_protocol::{DecodeError, Error, Raw, RequestId, Wire, envelope};
use std::borrow::Cow;
use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// Takes what arrived for one call, on the reading task, before its caller is woken.
type Settle = Box<dyn FnOnce(Result<&str, CallError>) + Send>;

/// The peer: calls and notifies it. Cheap to clone; all clones are the same connection.
///
/// Nothing here waits for the connection's driver, so it may be used from anywhere, also from
/// inside a handler: awaiting a call there is fine as long as it happens in the call's future and
/// not in its synchronous half.
#[derive(Clone)]
pub struct Peer(pub(crate) Arc<Shared>);

pub(crate) struct Shared {
    pub(crate) outbox: Outbox,
    pub(crate) trace: Trace,
    pending: Mutex<Pending<Settle, End>>,
    incoming: Mutex<HashMap<RequestId, CancelSwitch>>,
    /// Set once, when the connection is over.
    pub(crate) end: watch::Sender<Option<End>>,
    /// Set when this side asked for the end.
    pub(crate) closing: watch::Sender<bool>,
    offered: RwLock<Offered>,
}

/// What the other side advertised; everything is open until it is known.
#[derive(Default)]
struct Offered {
    by_agent: Option<Arc<AgentCapabilities>>,
    by_client: Option<Arc<ClientCapabilities>>,
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

    /// Sends a call. It is on its way when this returns; the reply is awaited through the returned
    /// future. Dropping that future tells the peer that nobody waits any more (`$/cancel_request`,
    /// CANCEL-12).
    ///
    /// # Errors
    /// The future fails at once with [`CallError::NotOffered`] if the peer does not advertise the
    /// method, and with [`CallError::Gone`] if the connection is over; see [`CallError`] for what
    /// can come later.
    pub fn call<M: Call>(&self, params: &M::Params) -> Reply<M::Result> {
        self.call_with_callback::<M>(params, |_| {})
    }

    /// The same; `fold` sees the outcome on the reading task, in wire order, before the next line
    /// is looked at and before the caller is woken. It must not wait. It also sees an answer that
    /// comes after its caller gave up, unless 256 later calls were given up too.
    pub fn call_with_callback<M: Call>(
        &self,
        params: &M::Params,
        fold: impl FnOnce(&Result<M::Result, CallError>) + Send + 'static,
    ) -> Reply<M::Result> {
        let closed = self
            .closed_gate(&M::ROW.gate)
            .map(|capability| CallError::NotOffered { method: M::ROW.name, capability });
        self.send_call(Cow::Borrowed(M::ROW.name), params, closed, M::decode_result, fold)
    }

    /// Calls a method outside the protocol; its name starts with `_` (EXT-01). Params and result
    /// are any JSON.
    pub fn call_extension(&self, method: impl Into<String>, params: &Raw) -> Reply<Raw> {
        self.send_call(Cow::Owned(method.into()), params, None, attache_protocol::decode, |_| {})
    }

    /// Inserts the call and queues its line; what cannot be sent is settled at once and has no id.
    fn send_call<R: Send + 'static>(
        &self,
        method: Cow<'static, str>,
        params: &impl Wire,
        closed: Option<CallError>,
        decode: fn(&str) -> Result<R, DecodeError>,
        fold: impl FnOnce(&Result<R, CallError>) + Send + 'static,
    ) -> Reply<R> {
        let (sender, receiver) = oneshot::channel();
        let settle = move |outcome: Result<&str, CallError>| {
            let outcome = outcome.and_then(|text| decode(text).map_err(CallError::BadReply));
            // A panic in the fold must reach neither the caller nor the other calls.
            let _ = catch_unwind(AssertUnwindSafe(|| fold(&outcome)));
            // The caller may be gone.
            let _ = sender.send(outcome);
        };
        let inserted = match closed {
            Some(error) => {
                if let CallError::NotOffered { method, capability } = &error {
                    self.0.trace.not_offered(method, capability);
                }
                settle(Err(error));
                return Reply { peer: self.clone(), id: None, receiver, method };
            }
            None => self.0.pending().insert(Box::new(settle) as Settle),
        };
        let id = match inserted {
            Ok(id) => {
                let id = RequestId::Number(id);
                self.0.trace.sent_call(&method, &id);
                if let Err(end) =
                    self.0.outbox.enqueue(|out| envelope::write_call(out, &id, &method, params))
                {
                    self.0.settle(&id, Err(end.into()));
                }
                Some(id)
            }
            Err((settle, end)) => {
                settle(Err(end.into()));
                None
            }
        };
        Reply { peer: self.clone(), id, receiver, method }
    }

    /// Sends a notification. It never waits: who sends many awaits [`Peer::wait_for_room`] first.
    pub fn notify<M: Notification>(&self, params: &M::Params) -> Result<(), End> {
        self.0.trace.sent_notification(M::ROW.name);
        self.0.outbox.enqueue(|out| envelope::write_notification(out, M::ROW.name, params))
    }

    /// Sends lines that are messages already, line ends included; for extensions, relays and tests.
    pub fn send_raw(&self, lines: &[u8]) -> Result<(), End> {
        self.0.outbox.enqueue(|out| out.extend_from_slice(lines))
    }

    /// Waits until the queue of lines to this peer has room. Callers that stream wait here before
    /// each message, so a slow peer slows them down instead of filling memory.
    pub async fn wait_for_room(&self) -> Result<(), End> {
        self.0.outbox.room().await
    }

    /// Closes the connection from this side: queued lines are still written, within the
    /// connection's grace.
    pub fn close(&self) {
        self.0.closing.send_replace(true);
    }

    /// The `tracing` span of this connection. Its fields are `number`, unique in this process,
    /// `peer` (`agent` or `client`) and `name`, empty until the owner of the connection records it.
    /// Spans of sessions and turns belong below it.
    pub fn span(&self) -> &tracing::Span {
        &self.0.trace.span
    }

    /// Waits for the connection's end and says why.
    pub async fn ended(&self) -> End {
        let mut end = self.0.end.subscribe();
        // The sender lives as long as `self`, and an end once known stays.
        let known = end.wait_for(Option::is_some).await;
        known.ok().and_then(|end| end.clone()).unwrap_or(End::Closed)
    }

    /// The end, if the connection is over.
    pub fn end(&self) -> Option<End> {
        self.0.end.borrow().clone()
    }

    /// From now on calls that these capabilities do not open fail without being sent (INIT-16).
    pub fn set_agent_capabilities(&self, capabilities: AgentCapabilities) {
        self.0.offered.write().unwrap_or_else(PoisonError::into_inner).by_agent =
            Some(Arc::new(capabilities));
    }

    /// The same for a peer that is a client.
    pub fn set_client_capabilities(&self, capabilities: ClientCapabilities) {
        self.0.offered.write().unwrap_or_else(PoisonError::into_inner).by_client =
            Some(Arc::new(capabilities));
    }

    /// What the client at the other end advertised, once that is known.
    pub fn client_capabilities(&self) -> Option<Arc<ClientCapabilities>> {
        self.0.offered.read().unwrap_or_else(PoisonError::into_inner).by_client.clone()
    }

    /// What the agent at the other end advertised, once that is known.
    pub fn agent_capabilities(&self) -> Option<Arc<AgentCapabilities>> {
        self.0.offered.read().unwrap_or_else(PoisonError::into_inner).by_agent.clone()
    }

    fn closed_gate(&self, gate: &Gate) -> Option<&'static str> {
        let path = gate.path()?;
        let offered = self.0.offered.read().unwrap_or_else(PoisonError::into_inner);
        let by_agent =
            offered.by_agent.as_ref().is_none_or(|capabilities| gate.opened_by_agent(capabilities));
        let by_client = offered
            .by_client
            .as_ref()
            .is_none_or(|capabilities| gate.opened_by_client(capabilities));
        (!(by_agent && by_client)).then_some(path)
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
    fn pending(&self) -> MutexGuard<'_, Pending<Settle, End>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The peer's calls that are not answered yet.
    pub(crate) fn incoming(&self) -> MutexGuard<'_, HashMap<RequestId, CancelSwitch>> {
        self.incoming.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the call that `id` names and says whether its caller waited.
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

    /// Fails every open call of ours with the cause; none can be made any more. Answers we owe may
    /// still be written.
    pub(crate) fn fail_calls(&self, end: &End) {
        let open = self.pending().end(end.clone());
        open.into_iter().for_each(|settle| settle(Err(CallError::Gone(end.clone()))));
    }

    /// Ends everything. The first end given stays.
    pub(crate) fn finish(&self, end: &End) {
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
    /// Its caller waited for it.
    InTime,
    /// Its caller had given up.
    Late,
    /// No open call has its id.
    Unknown,
}

/// A call's reply, still to come.
#[must_use = "dropping a reply tells the peer that nobody waits for it"]
pub struct Reply<R> {
    peer: Peer,
    /// `None` when nothing was sent or the reply has been taken.
    id: Option<RequestId>,
    receiver: oneshot::Receiver<Result<R, CallError>>,
    method: Cow<'static, str>,
}

impl<R> Reply<R> {
    /// Tells the peer that the answer is no longer wanted and goes on waiting for it: it may be
    /// partial, or an error (CANCEL-14). An answer that has arrived needs no cancelling.
    pub fn cancel(&self) {
        if let Some(id) = &self.id
            && let RequestId::Number(number) = id
            && self.peer.0.pending().is_open(*number)
        {
            // If the connection is over, so is the call.
            let _ = self.peer.notify::<CancelRequest>(&CancelRequestNotification::new(id.clone()));
        }
    }

    /// Waits at most this long.
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
        // Every call in the table is settled, at the latest by the connection's end.
        Poll::Ready(outcome.unwrap_or(Err(CallError::Gone(End::Closed))))
    }
}

impl<R> Drop for Reply<R> {
    fn drop(&mut self) {
        self.cancel();
        if let Some(RequestId::Number(id)) = self.id.take() {
            // The lock is free again before what the forgotten call held is dropped.
            let forgotten = self.peer.0.pending().give_up(id);
            drop(forgotten);
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

/// An error object for a peer whose call cannot be served because this side lacks something.
pub(crate) fn busy(limit: usize) -> Error {
    Error::internal(format!("too many calls at once: this side serves {limit}"))
}
