//! The client of a WebSocket.

use super::remote_error::RemoteError;
use super::requests::Requests;
use attache_connection::transport::{
    WebSocketRole, WebSocketTransport, websocket_accept, websocket_key,
};
use reqwest::header::{
    CONNECTION, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION,
    UPGRADE,
};
use reqwest::{Method, StatusCode};
use std::time::Duration;

/// A server from which nothing arrives for twice this time is gone.
const KEEP_ALIVE: Duration = Duration::from_secs(30);

/// Opens a WebSocket.
pub(super) async fn open(requests: &Requests) -> Result<WebSocketTransport, RemoteError> {
    let no_key = |_| requests.not_acp("could not get a key, because this system has no randomness");
    let key = websocket_key().map_err(no_key)?;
    let request = requests
        .begin(Method::GET)
        .header(CONNECTION, "Upgrade")
        .header(UPGRADE, "websocket")
        .header(SEC_WEBSOCKET_VERSION, "13")
        .header(SEC_WEBSOCKET_KEY, &key);
    let sent = requests.send(request, StatusCode::SWITCHING_PROTOCOLS).await;
    let response = sent.map_err(|error| requests.first_failed(error))?;
    let header = |name| response.headers().get(name).map(HeaderValue::as_bytes);
    let upgraded = header(UPGRADE).is_some_and(|it| it.eq_ignore_ascii_case(b"websocket"));
    let accepted = header(SEC_WEBSOCKET_ACCEPT) == Some(websocket_accept(&key).as_bytes());
    if !upgraded || !accepted {
        return Err(requests.not_acp("did not open a WebSocket properly"));
    }
    let stream = response.upgrade().await.map_err(|error| requests.failed(error))?;
    Ok(WebSocketTransport::new(stream, WebSocketRole::Client).keep_alive(KEEP_ALIVE))
}
