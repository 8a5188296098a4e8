//! The handler of the calls and updates of an agent that speaks version 2.

use crate::agent::incoming_handler::IncomingHandler;
use attache_connection::{
    Client as _, ConnectionEnd, IncomingCall, Peer, Responder, Unhandled, Work, v2,
};
use attache_protocol::method::Gate;
use attache_protocol::method::v2::{ElicitationCreate, SessionRequestPermission};
use attache_protocol::v2::{
    ClientCapabilities, CompleteElicitationNotification, CreateElicitationRequest,
    RequestPermissionRequest, SessionId, UpdateSessionNotification,
};
use attache_protocol::{UnknownValues, decode_reporting};
use attache_session::EventBody;
use std::task::{Context, Poll};

/// The handler of a connection of version 2. It converts what the agent sends, and decides nothing
/// by itself. Calls about files and terminals are answered as unknown methods.
pub(super) struct IncomingV2 {
    handler: IncomingHandler,
    advertised: ClientCapabilities,
}

impl IncomingV2 {
    pub(super) fn new(handler: IncomingHandler) -> Self {
        Self { advertised: handler.advertised.clone().into(), handler }
    }
}

impl v2::Client for IncomingV2 {
    fn advertises(&self, gate: &Gate) -> bool {
        gate.opened_by_v2_client(&self.advertised)
    }

    fn session_update(&mut self, params: UpdateSessionNotification, _peer: &Peer) {
        self.handler.sessions.updated(&params.session_id, EventBody::from_v2_update(params.update));
    }

    fn session_request_permission(
        &mut self,
        params: RequestPermissionRequest,
        answer: Responder<SessionRequestPermission>,
    ) -> Work {
        let session = params.session_id.clone();
        self.handler.ask(&session, params.into(), answer.map(Into::into))
    }

    fn elicitation_create(
        &mut self,
        params: CreateElicitationRequest,
        answer: Responder<ElicitationCreate>,
    ) -> Work {
        let IncomingHandler { elicitations, sessions, .. } = &self.handler;
        elicitations.create(sessions, params, answer.map(Into::into))
    }

    fn elicitation_complete(&mut self, params: CompleteElicitationNotification, _peer: &Peer) {
        self.handler.elicitations.complete(&params);
    }

    fn extension_call(&mut self, call: IncomingCall<'_>) -> Work {
        self.handler.extension_call(call)
    }

    fn unhandled(&mut self, unhandled: Unhandled<'_>) {
        self.handler.unhandled(unhandled);
    }

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.handler.poll_ready(context)
    }

    fn ended(&mut self, end: &ConnectionEnd) {
        self.handler.ended(end);
    }
}

/// Decodes the params of an update.
pub(super) fn read_update(params: &str) -> Option<(SessionId, EventBody)> {
    let (params, dropped) =
        decode_reporting::<UpdateSessionNotification>(params, UnknownValues::Keep);
    let params = params.ok().filter(|_| dropped.is_empty())?;
    Some((params.session_id, EventBody::from_v2_update(params.update)))
}
