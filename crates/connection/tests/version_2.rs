//! Connections that speak version 2: both sides, gates, and replies in the form of version 1.

#![allow(clippy::unwrap_used, reason = "a test fails at the first unexpected value")]

use attache_connection::{Builder, CallError, Peer, Responder, Work, v2 as serve};
use attache_protocol::method::{self, v2 as methods};
use attache_protocol::{Error, ErrorCode, v1, v2};
use tokio::task::JoinSet;

/// An agent that closes sessions with a function of version 1. No session has the id `gone`.
struct Closing;

fn close(session: &str, responder: Responder<method::SessionClose>) -> Work {
    responder.send(match session {
        "gone" => Err(Error::resource_not_found_session(session)),
        _ => Ok(v1::CloseSessionResponse::new()),
    })
}

impl serve::Agent for Closing {
    fn session_close(
        &mut self,
        params: v2::CloseSessionRequest,
        responder: Responder<methods::SessionClose>,
    ) -> Work {
        let responder =
            responder.map(|_: v1::CloseSessionResponse| v2::CloseSessionResponse::new());
        close(params.session_id.as_str(), responder)
    }
}

struct Silent;
impl serve::Client for Silent {}

fn pair() -> (Peer, JoinSet<()>) {
    let (here, there) = tokio::io::duplex(4096);
    let (input, output) = tokio::io::split(there);
    let (_, agent) = Builder::new().connect(input, output, serve::AgentHandler(Closing));
    let (input, output) = tokio::io::split(here);
    let (peer, client) = Builder::new().connect(input, output, serve::ClientHandler(Silent));
    let mut driving = JoinSet::new();
    driving.spawn(async move { drop(agent.run().await) });
    driving.spawn(async move { drop(client.run().await) });
    (peer, driving)
}

#[tokio::test]
async fn a_call_of_version_2_is_answered_by_a_function_of_version_1() {
    let (peer, _driving) = pair();
    let close = |id: &str| {
        peer.call::<methods::SessionClose>(&v2::CloseSessionRequest::new(v2::SessionId::from(id)))
    };
    assert_eq!(close("s").await.unwrap(), v2::CloseSessionResponse::new());
    let CallError::ErrorResponse(error) = close("gone").await.unwrap_err() else {
        unreachable!("the agent answers with an error")
    };
    assert_eq!(error.code, ErrorCode::RESOURCE_NOT_FOUND);
}

#[tokio::test]
async fn capabilities_of_version_2_allow_and_forbid_calls_of_version_2() {
    let (peer, _driving) = pair();
    let close = v2::CloseSessionRequest::new("s");
    peer.set_v2_agent_capabilities(v2::AgentCapabilities::new());
    let error = peer.call::<methods::SessionClose>(&close).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "session/close was not sent: the peer does not advertise capabilities.session"
    );
    let mut capabilities = v2::AgentCapabilities::new();
    capabilities.session = Some(v2::SessionCapabilities::new());
    peer.set_v2_agent_capabilities(capabilities);
    assert!(peer.call::<methods::SessionClose>(&close).await.is_ok());
    // A method that the agent does not serve.
    let error = peer
        .call::<methods::ToolCallCancel>(&v2::CancelToolCallRequest::new("s", "call"))
        .await
        .unwrap_err();
    assert!(
        matches!(&error, CallError::ErrorResponse(error) if error.code == ErrorCode::METHOD_NOT_FOUND)
    );
}
