//! The handler of a connection: it agrees on a version with the client, and then serves the methods
//! of that version.

use crate::serve::context::Context;
use crate::serve::served::Served;
use crate::serve::unused_input_log::UnusedInputLog;
use attache_connection::{
    AgentHandler, ConnectionEnd, Handler, IncomingCall, Peer, Responder, Unhandled, Work,
    v2 as connection,
};
use attache_protocol::method::{self, Kind, Method as _, Side};
use attache_protocol::v1::{self, ProtocolVersion};
use attache_protocol::{DecodeError, Error as Refusal, Map, Raw, RequestId, decode, v2};
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};

/// The versions that this kit speaks.
const SUPPORTED: [ProtocolVersion; 2] = [ProtocolVersion::V1, ProtocolVersion::V2];

/// The handler of a connection. It refuses every other call until `initialize` has succeeded
/// (INIT-02). The first successful `initialize` decides the version.
pub(crate) enum KitHandler {
    /// Version 1, or none yet.
    V1(AgentHandler<Served>),
    V2(connection::AgentHandler<Served>),
}

impl KitHandler {
    pub(crate) fn new(context: Arc<Context>, log: UnusedInputLog) -> Self {
        Self::V1(AgentHandler(Served::new(context, log)))
    }

    fn served(&self) -> &Served {
        match self {
            Self::V1(handler) => &handler.0,
            Self::V2(handler) => &handler.0,
        }
    }

    /// Returns the error for a call that needs a login, if the user is not logged in.
    fn login_missing(&self, call: &IncomingCall<'_>) -> Option<Refusal> {
        let row = match self {
            Self::V1(_) => method::Row::received_by(Side::Agent, call.name, Kind::Call)?,
            Self::V2(_) => method::v2::received_by(Side::Agent, call.name, Kind::Call)?,
        };
        let client = call.peer().client_capabilities().unwrap_or_default();
        self.served().login_missing(row, &client)
    }

    /// Serves `initialize` in the highest version that both sides speak. A connection keeps its
    /// version: a later call may repeat it, or ask for a higher one in vain (INIT-18, V2-03).
    fn initialize(&mut self, call: IncomingCall<'_>) -> Work {
        let requested = requested_version(call.params);
        match (&mut *self, requested) {
            (_, Some(version)) if version < ProtocolVersion::V1 => {
                call.refuse(&Refusal::unsupported_protocol_version(version, &SUPPORTED))
            }
            (Self::V1(handler), Some(version))
                if version >= ProtocolVersion::V2 && !handler.0.initialized =>
            {
                self.initialize_version_2(call, version)
            }
            (Self::V2(_), Some(version)) if version < ProtocolVersion::V2 => {
                call.refuse(&Refusal::invalid_request(format!(
                    "this connection speaks version 2, and initialize asks for version {version}: open another connection"
                )))
            }
            (Self::V2(_), Some(version)) => self.initialize_version_2(call, version),
            // Params without a usable version are refused in either version.
            (Self::V1(handler), _) => handler.call(call),
            (Self::V2(handler), None) => handler.call(call),
        }
    }

    fn initialize_version_2(&mut self, call: IncomingCall<'_>, version: ProtocolVersion) -> Work {
        if call.id() == Some(&RequestId::Null) {
            return call.refuse(&null_id());
        }
        let params = match version_2_params(call.params, version) {
            Ok(params) => params,
            Err(refusal) => return call.refuse(&refusal),
        };
        let mut served = self.served().clone();
        let peer = call.peer().clone();
        let work = call.answer(|responder: Responder<method::v2::Initialize>| {
            let client = v1::ClientCapabilities::from(params.capabilities.clone());
            let response = served.initialized(&client);
            peer.set_client_capabilities(client);
            peer.set_v2_client_capabilities(params.capabilities);
            served.reply_to_initialize(response.into(), responder)
        });
        *self = Self::V2(connection::AgentHandler(served));
        work
    }
}

impl Handler for KitHandler {
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
        if call.name == method::Initialize::ROW.name {
            return self.initialize(call);
        }
        if matches!(self, Self::V2(_)) && call.id() == Some(&RequestId::Null) {
            return call.refuse(&null_id());
        }
        if let Some(refusal) = self.login_missing(&call) {
            return call.refuse(&refusal);
        }
        match self {
            Self::V1(handler) if handler.0.initialized => handler.call(call),
            Self::V1(_) => {
                let error = Refusal::invalid_request(format!(
                    "{} came before initialize: call initialize first",
                    call.name
                ));
                call.refuse(&error)
            }
            Self::V2(handler) => handler.call(call),
        }
    }

    fn poll_ready(&mut self, context: &mut TaskContext<'_>) -> Poll<()> {
        match self {
            Self::V1(handler) => handler.poll_ready(context),
            Self::V2(handler) => handler.poll_ready(context),
        }
    }

    fn unhandled(&mut self, unhandled: Unhandled<'_>) {
        match self {
            Self::V1(handler) => handler.unhandled(unhandled),
            Self::V2(handler) => handler.unhandled(unhandled),
        }
    }

    fn ended(&mut self, end: &ConnectionEnd) {
        match self {
            Self::V1(handler) => handler.ended(end),
            Self::V2(handler) => handler.ended(end),
        }
    }
}

/// Returns the version that `initialize` asks for, if the params have a valid one.
fn requested_version(params: Option<&str>) -> Option<ProtocolVersion> {
    let members: Map<Raw> = decode(params?).ok()?;
    decode(members.get("protocolVersion")?.get()).ok()
}

/// Decodes the params of `initialize` in version 2. A client of a later version may have other
/// params; what cannot be read of them counts as absent.
fn version_2_params(
    params: Option<&str>,
    version: ProtocolVersion,
) -> Result<v2::InitializeRequest, Refusal> {
    method::v2::Initialize::decode_params(params).or_else(|error| {
        if version > ProtocolVersion::V2 {
            let unknown = v2::Implementation::new("unknown", "unknown");
            return Ok(v2::InitializeRequest::new(version, unknown));
        }
        let members: Map<Raw> = params.and_then(|params| decode(params).ok()).unwrap_or_default();
        let older = ["clientInfo", "clientCapabilities"];
        Err(Refusal::invalid_params(match older.iter().any(|key| members.get(key).is_some()) {
            true => "initialize asks for version 2 with the fields of version 1 (clientInfo, clientCapabilities): send info and capabilities, or ask for version 1".to_owned(),
            false => error.to_string(),
        }))
    })
}

/// The error for a call of version 2 that has no id to answer.
fn null_id() -> Refusal {
    Refusal::invalid_request("the id of a call must be a string or an integer, not null")
}
