//! The `tracing` spans of sessions and turns, and the events in them.
//!
//! Events name ids, kinds and reasons. They never hold prompts, messages, titles, paths or error
//! messages, because these can contain secrets and private text.
//!
//! Levels: `error` for a panic of the author's code, `warn` for a session that cannot be stored,
//! `debug` for everything else.

use crate::{Error, Result};
use attache_protocol::v1::{SessionId, StopReason};
use attache_session::Origin;
use tracing::{Span, debug, debug_span, error, warn};

/// The span of one turn; `prompt` is its number in the session.
pub(crate) fn turn(session: &SessionId, prompt: u64) -> Span {
    debug_span!("turn", session = %session.as_str(), prompt)
}

pub(crate) fn session_opened(session: &SessionId, origin: &Origin) {
    let origin = match origin {
        Origin::New => "new",
        Origin::Loaded => "loaded",
        Origin::Resumed => "resumed",
        Origin::Forked(_) => "forked",
    };
    debug!(session = session.as_str(), origin, "session opened");
}

pub(crate) fn session_not_opened(error: &Error) {
    debug!(reason = reason(error), "session not opened");
}

pub(crate) fn session_closed(session: &SessionId, stored: &Result<()>) {
    let session = session.as_str();
    match stored {
        Ok(()) => debug!(session, "session closed"),
        Err(error) => warn!(session, reason = reason(error), "session not closed: not stored"),
    }
}

pub(crate) fn turn_began() {
    debug!("turn began");
}

pub(crate) fn turn_ended(outcome: &Result<StopReason>) {
    match outcome {
        Ok(stop_reason) => debug!(stop_reason = stop_reason.as_str(), "turn ended"),
        Err(error) => debug!(reason = reason(error), "turn ended with an error"),
    }
}

pub(crate) fn author_panicked() {
    error!("code of the agent panicked");
}

/// Returns the kind of an error, without its message.
fn reason(error: &Error) -> &'static str {
    match error {
        Error::Cancelled => "cancelled",
        Error::Over => "turn over",
        Error::Closed => "session closed",
        Error::MethodNotFound(_) => "method not found",
        Error::Client(_) => "client",
        Error::Disconnected(_) => "connection ended",
        Error::Invalid(_) => "invalid",
        Error::AuthRequired(_) => "login required",
        Error::Store(_) => "store",
        Error::Failed { .. } => "agent",
    }
}
