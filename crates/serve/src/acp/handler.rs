//! The handler of a client's connection: it agrees on a version with the client, checks the
//! client's scope for every call, and then serves the methods of that version.

use super::context::Context;
use super::served::Served;
use super::version_1::not_initialized;
use attache_connection::{
    AgentHandler, ConnectionEnd, Handler, IncomingCall, Peer, Responder, Work, v2 as connection,
};
use attache_protocol::method::{self, Method as _, Side};
use attache_protocol::v1::{self, ProtocolVersion};
use attache_protocol::{DecodeError, Error, Map, Raw, RequestId, decode, v2};
use std::sync::Arc;

/// The versions that the hub speaks.
const SUPPORTED: [ProtocolVersion; 2] = [ProtocolVersion::V1, ProtocolVersion::V2];

/// The handler of a client's connection. The first successful `initialize` decides the version.
pub(super) enum HubHandler {
    /// Version 1, or none yet.
    V1(AgentHandler<Served>),
    V2(connection::AgentHandler<Served>),
}

impl HubHandler {
    pub(super) fn new(context: Arc<Context>) -> Self {
        Self::V1(AgentHandler(Served { context, initialized: false }))
    }

    fn served(&self) -> &Served {
        match self {
            Self::V1(handler) => &handler.0,
            Self::V2(handler) => &handler.0,
        }
    }

    /// Serves `initialize` in the highest version that both sides speak. A connection keeps its
    /// version.
    fn initialize(&mut self, call: IncomingCall<'_>) -> Work {
        let is_initialized = self.served().initialized;
        match (&mut *self, requested_version(call.params)) {
            (_, Some(version)) if version < ProtocolVersion::V1 => {
                call.refuse(&Error::unsupported_protocol_version(version, &SUPPORTED))
            }
            (Self::V1(_), Some(version)) if version >= ProtocolVersion::V2 && !is_initialized => {
                self.initialize_version_2(call, version)
            }
            (Self::V2(_), Some(version)) if version >= ProtocolVersion::V2 => {
                self.initialize_version_2(call, version)
            }
            (Self::V2(_), Some(version)) => call.refuse(&Error::invalid_request(format!(
                "this connection speaks version 2, and initialize asks for version {version}: \
                 open another connection"
            ))),
            (Self::V1(handler), _) => handler.call(call),
            (Self::V2(handler), None) => handler.call(call),
        }
    }

    fn initialize_version_2(&mut self, call: IncomingCall<'_>, version: ProtocolVersion) -> Work {
        if call.id() == Some(&RequestId::Null) {
            return call.refuse(&null_id());
        }
        let params = match method::v2::Initialize::decode_params(call.params) {
            Ok(params) => params,
            // A client of a later version may have other params.
            Err(_) if version > ProtocolVersion::V2 => {
                let unknown = v2::Implementation::new("unknown", "unknown");
                v2::InitializeRequest::new(version, unknown)
            }
            Err(error) => return call.refuse(&Error::invalid_params(error.to_string())),
        };
        let mut served = self.served().clone();
        let peer = call.peer().clone();
        let work = call.answer(|responder: Responder<method::v2::Initialize>| {
            peer.set_client_capabilities(v1::ClientCapabilities::from(params.capabilities.clone()));
            let meta = params.capabilities.meta.clone();
            peer.set_v2_client_capabilities(params.capabilities);
            let response = served.initialized(Some(&params.info), meta.as_ref());
            responder.send(Ok(response.into()))
        });
        *self = Self::V2(connection::AgentHandler(served));
        work
    }
}

impl Handler for HubHandler {
    const SIDE: Side = Side::Agent;

    fn notification(
        &mut self,
        peer: &Peer,
        name: &str,
        params: Option<&str>,
    ) -> Result<(), DecodeError> {
        match self {
            Self::V1(handler) => handler.notification(peer, name, params),
            Self::V2(handler) => handler.notification(peer, name, params),
        }
    }

    fn call(&mut self, call: IncomingCall<'_>) -> Work {
        if let Some(error) = self.served().scope_missing(call.name) {
            return call.refuse(&error);
        }
        if call.name == method::Initialize::ROW.name {
            return self.initialize(call);
        }
        match self {
            Self::V2(_) if call.id() == Some(&RequestId::Null) => call.refuse(&null_id()),
            Self::V1(handler) if handler.0.initialized => handler.call(call),
            Self::V1(_) => {
                let error = not_initialized(call.name);
                call.refuse(&error)
            }
            Self::V2(handler) => handler.call(call),
        }
    }

    fn ended(&mut self, _: &ConnectionEnd) {
        self.served().context.client_left();
    }
}

/// Returns the version that `initialize` asks for, if the params have a valid one.
fn requested_version(params: Option<&str>) -> Option<ProtocolVersion> {
    let members: Map<Raw> = decode(params?).ok()?;
    decode(members.get("protocolVersion")?.get()).ok()
}

/// The error for a call of version 2 that has no id to answer.
fn null_id() -> Error {
    Error::invalid_request("the id of a call must be a string or an integer, not null")
}
