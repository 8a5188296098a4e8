//! The upgrade of a request to a WebSocket.

use super::caller::{Refused, caller, text};
use super::connections::Connections;
use attache_connection::transport::{WebSocketRole, WebSocketTransport, websocket_accept};
use axum::extract::Request;
use axum::http::header::{
    CONNECTION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use hyper_util::rt::TokioIo;
use std::sync::Arc;
use std::time::Duration;

/// A WebSocket on which nothing arrives for this time gets a ping, and after twice this time it
/// ends.
const KEEP_ALIVE: Duration = Duration::from_secs(30);

/// The only version of the protocol of WebSockets.
const VERSION: &str = "13";

/// The length of a key: 16 bytes in Base64.
const KEY_LENGTH: usize = 24;

/// Whether a request asks for a WebSocket.
pub(super) fn is_websocket(headers: &HeaderMap) -> bool {
    text(headers, UPGRADE.as_str()).is_some_and(|it| it.eq_ignore_ascii_case("websocket"))
}

/// Accepts the upgrade to a WebSocket, and serves the client once it is done.
pub(super) fn accept(
    connections: &Arc<Connections>,
    mut request: Request,
) -> Result<Response, Refused> {
    let (shared, client) = caller(&request)?;
    let headers = request.headers();
    let connection = text(headers, CONNECTION.as_str()).unwrap_or_default();
    if !connection.split(',').any(|token| token.trim().eq_ignore_ascii_case("upgrade")) {
        let wrong = "the header Connection of an upgrade must be Upgrade";
        return Err(Refused(StatusCode::BAD_REQUEST, wrong));
    }
    if text(headers, SEC_WEBSOCKET_VERSION.as_str()) != Some(VERSION) {
        let headers = [(SEC_WEBSOCKET_VERSION, VERSION)];
        return Ok((StatusCode::UPGRADE_REQUIRED, headers).into_response());
    }
    let key = text(headers, SEC_WEBSOCKET_KEY.as_str()).filter(|key| key.len() == KEY_LENGTH);
    let Some(accept) = key.map(websocket_accept) else {
        let wrong = "the header Sec-WebSocket-Key is missing or wrong";
        return Err(Refused(StatusCode::BAD_REQUEST, wrong));
    };
    let upgrade = hyper::upgrade::on(&mut request);
    connections.open_websocket(shared, client, async {
        let stream =
            upgrade.await.inspect_err(|error| tracing::debug!(%error, "no upgrade")).ok()?;
        let transport = WebSocketTransport::new(TokioIo::new(stream), WebSocketRole::Server);
        Some(transport.keep_alive(KEEP_ALIVE))
    })?;
    let headers = [
        (UPGRADE, "websocket".to_owned()),
        (CONNECTION, "Upgrade".to_owned()),
        (SEC_WEBSOCKET_ACCEPT, accept),
    ];
    Ok((StatusCode::SWITCHING_PROTOCOLS, headers).into_response())
}
