//! The handshake: the versions, names and capabilities of both sides.

use crate::agent::evidence::Evidence;
use crate::agent::options::{Options, capabilities};
use crate::agent::start_error::StartError;
use attache_connection::{CallError, Peer};
use attache_protocol::method::{self, Call, Initialize, Method, Row};
use attache_protocol::v1::{InitializeRequest, InitializeResponse, ProtocolVersion};
use attache_protocol::v2::{self, UnsupportedProtocolVersionErrorData};
use attache_protocol::{DecodeError, Error, ErrorCode, Raw, decode};

/// Asks the agent for the version of `options`, and tells the peer which capabilities the agent
/// has. Returns the answer in the form of version 1.
///
/// # Errors
/// Returns a [`StartError`] with the evidence about the agent.
pub(super) async fn handshake(
    peer: &Peer,
    options: &Options,
    evidence: impl FnOnce() -> Evidence,
) -> Result<InitializeResponse, StartError> {
    let answer = match options.protocol {
        ProtocolVersion::V2 => version_2(peer, options).await,
        _ => version_1(peer, options).await,
    };
    answer.map_err(|failure| match failure {
        Failure::Answered(answered) => StartError::Version { asked: options.protocol, answered },
        Failure::Call(CallError::ErrorResponse(error)) => match supported(&error) {
            Some(supported) => {
                StartError::UnsupportedVersion { asked: options.protocol, supported }
            }
            None => StartError::of_call(CallError::ErrorResponse(error), evidence()),
        },
        Failure::Call(error) => StartError::of_call(error, evidence()),
    })
}

enum Failure {
    /// The agent answered with another version.
    Answered(ProtocolVersion),
    Call(CallError),
}

async fn version_1(peer: &Peer, options: &Options) -> Result<InitializeResponse, Failure> {
    let mut params = InitializeRequest::new(ProtocolVersion::V1);
    params.client_info = Some(options.about.clone());
    params.client_capabilities = capabilities(options);
    let reply = peer.call::<Initialize>(&params).within(options.handshake).await;
    let agent = reply.map_err(Failure::Call)?;
    if agent.protocol_version != ProtocolVersion::V1 {
        return Err(Failure::Answered(agent.protocol_version));
    }
    peer.set_agent_capabilities(agent.agent_capabilities.clone());
    Ok(agent)
}

async fn version_2(peer: &Peer, options: &Options) -> Result<InitializeResponse, Failure> {
    let mut params = v2::InitializeRequest::new(ProtocolVersion::V2, options.about.clone());
    params.capabilities = capabilities(options).into();
    let reply = peer.call::<InitializeOfAnyVersion>(&params).within(options.handshake).await;
    let reply = reply.map_err(Failure::Call)?;
    let unreadable = |error: DecodeError| Failure::Call(CallError::BadReply(error.under("result")));
    let version = decode::<InitializeResponse>(reply.get()).map_err(unreadable)?.protocol_version;
    if version != ProtocolVersion::V2 {
        return Err(Failure::Answered(version));
    }
    let agent: v2::InitializeResponse = decode(reply.get()).map_err(unreadable)?;
    peer.set_v2_agent_capabilities(agent.capabilities.clone());
    Ok(agent.into())
}

/// The versions that the agent supports, if this error says that it does not support the requested
/// one.
fn supported(error: &Error) -> Option<Vec<ProtocolVersion>> {
    if error.code != ErrorCode::UNSUPPORTED_PROTOCOL_VERSION {
        return None;
    }
    let data = error.data.as_ref()?;
    let data: UnsupportedProtocolVersionErrorData = decode(data.get()).ok()?;
    Some(data.supported)
}

/// `initialize` of version 2 with a result of any version.
pub(super) struct InitializeOfAnyVersion;

impl Method for InitializeOfAnyVersion {
    const ROW: &'static Row = method::v2::Initialize::ROW;
    type Params = v2::InitializeRequest;
}

impl Call for InitializeOfAnyVersion {
    type Result = Raw;
}
