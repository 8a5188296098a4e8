//! Admits only requests with a login, and attaches their senders to the hub.

use super::connections::{Connection, revoked};
use super::credentials::{Credentials, SUBPROTOCOL, take_credentials};
use super::origin_check::RequestOrigin;
use super::response_body::ResponseBody;
use super::state::HttpState;
use crate::devices::Login;
use crate::{DeviceId, Place};
use axum::body::Body;
use axum::extract::{Extension, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::StatusCode;
use http::header::{HeaderValue, SEC_WEBSOCKET_PROTOCOL, WWW_AUTHENTICATE};
use std::net::IpAddr;
use std::sync::Arc;
use tokio::time::Instant;

/// The device of a response, for the access log.
#[derive(Debug, Clone)]
pub(super) struct ResponseOf(pub(super) DeviceId);

/// Passes a request with a login on, with `Arc<SharedHub>` and `Arc<AttachedClient>` as extensions
/// and without the secrets. The client is attached until its response or WebSocket ends, or longer
/// if a handler keeps it. When the login ends, its response or WebSocket ends at once.
pub(super) async fn authenticate(
    State(state): State<Arc<HttpState>>,
    Extension(connection): Extension<Arc<Connection>>,
    Extension(origin): Extension<RequestOrigin>,
    mut request: Request,
    next: Next,
) -> Response {
    let (credentials, is_page) = take_credentials(request.headers_mut(), &state.cookie_name);
    let login = match credentials {
        Credentials::Bearer(token) => state.devices.log_in_program(&token),
        // Only an exact origin shows that a page of this server sends the cookie.
        Credentials::Tab { cookie, tab } if origin.exact.is_some() => {
            state.devices.log_in_tab(&cookie, &tab)
        }
        Credentials::Tab { .. } | Credentials::Incomplete => return unauthorized(),
    };
    let Some(login) = login else { return wrong_secret(&state, connection.peer.ip()).await };
    if !connection.admit_device(&login.id, &login.scope) {
        let full = "The device has too many connections: close one.\n";
        return (StatusCode::SERVICE_UNAVAILABLE, full).into_response();
    }
    store_use(&state, &login).await;

    let place = Place::Device(login.id.clone());
    let client = state.shared.attach(place, login.name, login.scope.clone());
    request.extensions_mut().insert(Arc::clone(&state.shared));
    request.extensions_mut().insert(Arc::clone(&client));
    let mut response = tokio::select! {
        biased;
        () = revoked(Some(login.scope.clone())) => return unauthorized(),
        response = next.run(request) => response,
    };
    response.extensions_mut().insert(ResponseOf(login.id));
    if response.status() == StatusCode::SWITCHING_PROTOCOLS {
        if is_page {
            let protocol = HeaderValue::from_static(SUBPROTOCOL);
            response.headers_mut().entry(SEC_WEBSOCKET_PROTOCOL).or_insert(protocol);
        }
        connection.bind(login.scope, client);
        return response;
    }
    response.map(|body| Body::new(ResponseBody::of_login(body, login.scope, client)))
}

/// Answers a wrong secret, after the delay that its address has earned.
pub(super) async fn wrong_secret(state: &HttpState, peer: IpAddr) -> Response {
    let delay = state.throttle.failed(peer, Instant::now());
    tokio::time::sleep(delay).await;
    unauthorized()
}

/// Answers a request without login.
pub(super) fn unauthorized() -> Response {
    let how = "Log in first, with a code or token of the machine that runs Attaché.\n";
    (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer")], how).into_response()
}

/// Stores the time of the last use now and then.
async fn store_use(state: &HttpState, login: &Login) {
    if !state.devices.is_use_due(&login.id) {
        return;
    }
    let devices = Arc::clone(&state.devices);
    match tokio::task::spawn_blocking(move || devices.store_use()).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%error, "the use of a device could not be stored"),
        Err(error) => tracing::warn!(%error, "the use of a device could not be stored"),
    }
}
