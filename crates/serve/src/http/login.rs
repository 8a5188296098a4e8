//! Trades a one-time code for the secrets of a device, and gives a new tab its secret.

use super::authenticate::{unauthorized, wrong_secret};
use super::connections::Connection;
use super::credentials::{ORIGIN_KEY, take_cookie, take_one};
use super::origin::Origin;
use super::origin_check::RequestOrigin;
use super::state::HttpState;
use crate::devices::{DeviceError, NewDevice};
use axum::Json;
use axum::body::Body;
use axum::extract::{Extension, State};
use axum::response::{IntoResponse as _, Response};
use http::header::SET_COOKIE;
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;

/// The longest body of a login, in bytes.
const BODY: usize = 4096;

/// How long a browser keeps the cookie, in seconds: a year.
const COOKIE_LIFETIME: u32 = 365 * 24 * 60 * 60;

/// What a new device sends.
#[derive(Deserialize)]
struct LoginRequest {
    code: String,
    #[serde(default)]
    name: String,
}

/// Trades a code for a cookie, the secret of the tab and the key of the origin.
pub(super) async fn redeem(
    State(state): State<Arc<HttpState>>,
    Extension(connection): Extension<Arc<Connection>>,
    Extension(origin): Extension<RequestOrigin>,
    body: Body,
) -> Response {
    // A page of another origin must not log a browser in as a device of its choice.
    let Some(origin) = origin.exact else { return unauthorized() };
    let Ok(body) = axum::body::to_bytes(body, BODY).await else {
        return (StatusCode::PAYLOAD_TOO_LARGE, "The login is too long.\n").into_response();
    };
    let Ok(LoginRequest { code, name }) = serde_json::from_slice(&body) else {
        return (StatusCode::BAD_REQUEST, "The login is malformed.\n").into_response();
    };
    let devices = Arc::clone(&state.devices);
    let redeemed = tokio::task::spawn_blocking(move || devices.redeem(&code, &name)).await;
    match redeemed {
        Ok(Ok(new)) => logged_in(&state, &origin, new),
        Ok(Err(DeviceError::Code)) => {
            drop(wrong_secret(&state, connection.peer.ip()).await);
            let why = format!("{}\n", DeviceError::Code);
            (StatusCode::UNAUTHORIZED, why).into_response()
        }
        Ok(Err(DeviceError::TooMany)) => {
            (StatusCode::CONFLICT, format!("{}\n", DeviceError::TooMany)).into_response()
        }
        Ok(Err(error)) => {
            tracing::error!(%error, "a device could not be added");
            failed()
        }
        Err(error) => {
            tracing::error!(%error, "a device could not be added");
            failed()
        }
    }
}

/// Gives a new tab of a device a secret of its own.
pub(super) async fn new_tab(
    State(state): State<Arc<HttpState>>,
    Extension(connection): Extension<Arc<Connection>>,
    Extension(origin): Extension<RequestOrigin>,
    mut headers: HeaderMap,
) -> Response {
    let cookie = take_cookie(&mut headers, &state.cookie_name);
    let key = take_one(&mut headers, &ORIGIN_KEY);
    let (Some(_), Some(cookie), Some(key)) = (origin.exact, cookie, key) else {
        return unauthorized();
    };
    match state.devices.new_tab(&cookie, &key) {
        Ok(Some(tab)) => Json(json!({ "tab": tab.expose() })).into_response(),
        Ok(None) => wrong_secret(&state, connection.peer.ip()).await,
        Err(error) => {
            tracing::error!(%error, "a tab could not be added");
            failed()
        }
    }
}

fn logged_in(state: &HttpState, origin: &Origin, new: NewDevice) -> Response {
    let NewDevice { device, cookie, origin_key, tab } = new;
    tracing::info!(device = %device.id, scope = %device.scope, "a device logged in");
    let secure = if origin.is_https() { "; Secure" } else { "" };
    let cookie = format!(
        "{}={}; Path=/acp; Max-Age={COOKIE_LIFETIME}; HttpOnly; SameSite=Strict{secure}",
        state.cookie_name,
        cookie.expose()
    );
    let body = json!({
        "device": device.id.0,
        "name": device.name,
        "scope": device.scope,
        "tab": tab.expose(),
        "originKey": origin_key.expose(),
    });
    ([(SET_COOKIE, cookie)], Json(body)).into_response()
}

fn failed() -> Response {
    let why = "Attaché could not store the login: see its log.\n";
    (StatusCode::INTERNAL_SERVER_ERROR, why).into_response()
}
