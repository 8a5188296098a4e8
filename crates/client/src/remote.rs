//! Agents that run elsewhere and are reached over WebSocket or streamable HTTP.

pub(crate) mod address;
pub(crate) mod cookies;
pub(crate) mod events;
pub(crate) mod exchange;
pub(crate) mod remote_error;
pub(crate) mod requests;
pub(crate) mod streamable;
pub(crate) mod websocket;

use crate::agent::agent_connection::AgentConnection;
use crate::agent::options::Options;
use crate::agent::start_error::StartError;
use crate::hub::AgentSource;
use address::{RemoteAddress, Wire};
use attache_protocol::Secret;
use cookies::Cookies;
use remote_error::RemoteError;
use requests::Requests;
use std::sync::Arc;
use streamable::StreamableTransport;

impl AgentSource {
    /// Connects to an agent that runs elsewhere, over WebSocket (`ws://`, `wss://`) or streamable
    /// HTTP (`http://`, `https://`). An address without a path means `/acp`. Each start makes a new
    /// connection, so that a hub reconnects as it restarts a program: with growing pauses, and then
    /// it loads or resumes the sessions.
    ///
    /// The token is sent as a bearer token. Cookies of the server are sent back to it, also after a
    /// reconnect. Redirects are not followed.
    ///
    /// # Errors
    /// Returns an error if the address is not of this kind, contains a login or a fragment, or if
    /// the token would be sent without encryption to another machine.
    pub fn remote(address: &str, token: Option<Secret>) -> Result<Self, RemoteError> {
        let address = RemoteAddress::parse(address, token.is_some())?;
        let cookies = Arc::<Cookies>::default();
        Ok(Self::connect(move |options| {
            connect(address.clone(), token.clone(), cookies.clone(), options)
        }))
    }
}

/// Connects and performs the handshake.
async fn connect(
    address: RemoteAddress,
    token: Option<Secret>,
    cookies: Arc<Cookies>,
    options: Options,
) -> Result<AgentConnection, StartError> {
    let host = address.host.clone();
    let requests = Requests::new(&address, token, cookies)?;
    match address.wire {
        Wire::WebSocket => {
            let opening = tokio::time::timeout(options.handshake, websocket::open(&requests));
            let transport = opening.await.map_err(|_| RemoteError::Silent(host.clone()))??;
            let connecting = AgentConnection::connect_over(transport, options);
            connecting.await.map_err(|error| of_remote(error, host))
        }
        Wire::Streamable => {
            let transport = StreamableTransport::new(requests);
            let failure = transport.failure();
            let connecting = AgentConnection::connect_over(transport, options);
            connecting.await.map_err(|error| match failure.get() {
                Some(cause) => cause.into(),
                None => of_remote(error, host),
            })
        }
    }
}

/// Says of a server what a start error says of a program.
fn of_remote(error: StartError, host: String) -> StartError {
    match error {
        StartError::Ended { end, .. } => RemoteError::Ended { host, end }.into(),
        StartError::Silent { .. } => RemoteError::Silent(host).into(),
        other => other,
    }
}
