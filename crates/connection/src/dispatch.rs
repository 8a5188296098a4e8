//! Dispatches the frames of the peer.

use crate::cancelled::CancelSwitch;
use crate::handler::{IncomingCall, ReplyGuardHolder};
use crate::limits::Limits;
use crate::peer::{self, Settled};
use crate::responder::ReplyGuard;
use crate::{Direction, Handler, Peer, Tap, Unhandled, Work, tap, trace};
use attache_protocol::envelope::{self, Message, NotAMessage};
use attache_protocol::method::{CancelRequest, Method};
use attache_protocol::{DecodeError, Error, RequestId};
use std::collections::hash_map::Entry;

/// Shows a frame to the tap, and offers it to the handler. Returns whether the handler recognized
/// it; otherwise dispatch it.
pub(crate) fn recognize<H: Handler>(handler: &mut H, tap: Option<&Tap>, frame: &[u8]) -> bool {
    if let Some(tap) = tap {
        tap::show(tap, Direction::Received, frame);
    }
    let method = handler.recognize(frame);
    if let Some(method) = method {
        trace::received_notification(method, frame.len());
    }
    method.is_some()
}

/// Dispatches one frame by its kind.
pub(crate) fn dispatch<H: Handler>(
    peer: &Peer,
    handler: &mut H,
    open: usize,
    limits: &Limits,
    frame: &[u8],
) -> Work {
    let message = Message::read(frame);
    if let Ok(message) = &message {
        trace::received(message, frame.len());
    }
    match message {
        Ok(Message::Notification { method, params }) if method == CancelRequest::ROW.name => {
            cancel_request(peer, handler, params)
        }
        Ok(Message::Notification { method, params }) => {
            if let Err(error) = handler.notification(peer, &method, params) {
                report(handler, Unhandled::Notification(&method, error));
            }
        }
        Ok(Message::Reply { id, outcome }) => {
            match peer.0.settle(&id, outcome.map_err(crate::CallError::ErrorResponse)) {
                Settled::InTime => {}
                Settled::Late => report(handler, Unhandled::LateReply(&id)),
                Settled::Unknown => report(handler, Unhandled::UnknownReply(&id)),
            }
        }
        Ok(Message::Call { id, method, params }) => {
            let mut guard = register_call(peer, id)?;
            if open >= limits.calls {
                trace::refused_busy(&method, limits.calls);
                guard.refuse(&peer::busy(limits.calls));
                return None;
            }
            let call = IncomingCall { guard: ReplyGuardHolder(guard), name: &method, params };
            return handler.call(call);
        }
        Err(not_a_message) => {
            // A broken reply is never answered (RPC-22), but the call that it belongs to fails,
            // because no other reply will come.
            if let NotAMessage::BrokenReply(Some(id), why) = &not_a_message {
                let error =
                    DecodeError { path: String::new(), message: why.clone(), not_json: false };
                peer.0.settle(id, Err(crate::CallError::BadReply(error)));
            }
            report(handler, Unhandled::Frame(frame, &not_a_message));
            // A client never answers stray text from an agent, because the text may be a banner or
            // a log line. An agent answers such text (RPC-19).
            if H::SIDE == attache_protocol::method::Side::Agent
                && let Some(error) = not_a_message.error()
            {
                let _ = peer
                    .0
                    .outbox
                    .enqueue(|out| envelope::write_reply(out, &RequestId::Null, Err(&error)));
            }
        }
    }
    None
}

/// Tells the trace and the handler about a message that cannot be used.
pub(crate) fn report<H: Handler>(handler: &mut H, unhandled: Unhandled<'_>) {
    trace::unhandled(&unhandled);
    handler.unhandled(unhandled);
}

/// Handles `$/cancel_request`: cancels the call with this id. Unknown and finished calls are
/// ignored (CANCEL-16, CANCEL-24).
fn cancel_request<H: Handler>(peer: &Peer, handler: &mut H, params: Option<&str>) {
    match CancelRequest::decode_params(params) {
        Ok(params) => {
            trace::cancelled(&params.request_id);
            let incoming = peer.0.incoming();
            if let Some(switch) = incoming.get(&params.request_id) {
                switch.cancel();
            }
        }
        Err(error) => report(handler, Unhandled::Notification(CancelRequest::ROW.name, error)),
    }
}

/// Registers a call. If its id is already in use, replies with an error and returns `None`
/// (RPC-13).
fn register_call(peer: &Peer, id: RequestId) -> Option<ReplyGuard> {
    let (switch, cancelled) = CancelSwitch::new();
    match peer.0.incoming().entry(id.clone()) {
        Entry::Vacant(place) => {
            place.insert(switch);
        }
        Entry::Occupied(_) => {
            trace::refused_duplicate(&id);
            // The earlier call with this id is still open, so an error reply with the same id would
            // answer that call instead.
            let error =
                Error::invalid_request(format!("the id {id} belongs to a call that is still open"));
            let _ = peer
                .0
                .outbox
                .enqueue(|out| envelope::write_reply(out, &RequestId::Null, Err(&error)));
            return None;
        }
    }
    Some(ReplyGuard { peer: peer.clone(), id: Some(id), cancelled })
}
