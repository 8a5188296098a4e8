//! The `tracing` span of a connection and the events in it.
//!
//! Events name methods, ids, sizes and reasons. They never hold params, results, error messages,
//! raw frames or a peer's stderr, because these can contain secrets and private text.
//!
//! Levels: `error` for a panic in this process, `warn` for a peer that breaks the protocol, `debug`
//! for the start, the end and everything that is ignored, and `trace` for every message.

use crate::end::ConnectionEnd;
use crate::unhandled::Unhandled;
use attache_protocol::envelope::{Message, NotAMessage};
use attache_protocol::method::Side;
use attache_protocol::{Error, RequestId};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tracing::field::Empty;
use tracing::{Span, debug, debug_span, error, trace, warn};

/// The number of the next connection in this process.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// The trace of one connection.
pub(crate) struct Trace {
    /// Covers everything that the connection's own task does.
    pub(crate) span: Span,
    /// Identifies the connection in events that may occur outside its span.
    number: u64,
}

impl Trace {
    /// The trace of a new connection, seen from `side`.
    pub(crate) fn new(side: Side) -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let peer = side.other().as_str();
        Self { span: debug_span!("connection", number, peer, name = Empty), number }
    }

    pub(crate) fn sent_call(&self, method: &str, id: &RequestId) {
        trace!(connection = self.number, method, %id, "sent call");
    }

    pub(crate) fn sent_notification(&self, method: &str) {
        trace!(connection = self.number, method, "sent notification");
    }

    pub(crate) fn sent_reply(&self, id: &RequestId, error: Option<&Error>) {
        let code = error.map(|error| error.code.0);
        trace!(connection = self.number, %id, code, "sent reply");
    }

    pub(crate) fn not_offered(&self, method: &str, capability: &str) {
        debug!(
            connection = self.number,
            method, capability, "call not sent: capability not advertised"
        );
    }

    pub(crate) fn timed_out(&self, method: &str, after: Duration) {
        debug!(connection = self.number, method, ?after, "call timed out");
    }
}

pub(crate) fn started() {
    debug!("connection started");
}

pub(crate) fn ended(end: &ConnectionEnd) {
    match end {
        ConnectionEnd::Closed => debug!("connection closed by this side"),
        ConnectionEnd::PeerClosed { .. } => debug!("connection closed by the peer"),
        ConnectionEnd::FrameTooLong { limit } => warn!(limit, "connection ended: frame too long"),
        ConnectionEnd::StoppedReading { after } => {
            warn!(?after, "connection ended: peer stopped reading")
        }
        ConnectionEnd::Transport(error) => {
            warn!(kind = ?error.kind(), "connection ended: transport failed")
        }
    }
}

pub(crate) fn received(message: &Message<'_>, bytes: usize) {
    match message {
        Message::Call { id, method, .. } => trace!(%method, %id, bytes, "received call"),
        Message::Notification { method, .. } => received_notification(method, bytes),
        Message::Reply { id, outcome } => {
            let code = outcome.as_ref().err().map(|error| error.code.0);
            trace!(%id, code, bytes, "received reply");
        }
    }
}

pub(crate) fn received_notification(method: &str, bytes: usize) {
    trace!(%method, bytes, "received notification");
}

pub(crate) fn unhandled(unhandled: &Unhandled<'_>) {
    match unhandled {
        Unhandled::Frame(frame, why) => {
            let bytes = frame.len();
            match why {
                NotAMessage::NotJson(_) => warn!(bytes, "received frame is not JSON"),
                NotAMessage::Invalid(_) => warn!(bytes, "received frame is not a message"),
                NotAMessage::BrokenReply(id, _) => {
                    warn!(id = id.as_ref().map(display), bytes, "received reply is broken");
                }
            }
        }
        Unhandled::UnknownReply(id) => warn!(%id, "reply matches no open call"),
        Unhandled::LateReply(id) => debug!(%id, "reply to an abandoned call"),
        Unhandled::Notification(method, _) => warn!(method, "notification has invalid params"),
        Unhandled::Dropped(method, values) => {
            warn!(method, values = values.len(), "invalid values of params ignored");
        }
        Unhandled::HandlerPanicked(frame) => error!(bytes = frame.len(), "handler panicked"),
    }
}

pub(crate) fn ignored_notification(method: &str) {
    debug!(method, "notification ignored: no handler");
}

pub(crate) fn refused_busy(method: &str, limit: usize) {
    warn!(method, limit, "call refused: too many open calls");
}

pub(crate) fn refused_duplicate(id: &RequestId) {
    warn!(%id, "call refused: its id belongs to an open call");
}

pub(crate) fn cancelled(id: &RequestId) {
    debug!(%id, "peer cancelled a call");
}

pub(crate) fn work_panicked() {
    error!("work of a call panicked");
}
