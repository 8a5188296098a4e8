//! The routes, and what every request passes.

use super::access_log::Access;
use super::authenticate::{ResponseOf, authenticate};
use super::connections::Connection;
use super::request_body::RequestBody;
use super::response_body::ResponseBody;
use super::state::HttpState;
use super::{login, origin_check, security_headers};
use axum::Router;
use axum::body::Body;
use axum::extract::{Extension, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use http::{HeaderMap, Method, StatusCode, Uri};
use http_body::Body as _;
use std::sync::Arc;
use tokio::time::Instant;

/// Returns the routes. Those of `acp` need a login. Requests must have the extension
/// `Arc<Connection>`.
pub(super) fn router(state: &Arc<HttpState>, acp: Option<Router>) -> Router {
    let mut routes = Router::new()
        .route("/login", get(file).post(login::redeem))
        .route("/acp/tab", post(login::new_tab))
        .fallback(file)
        .with_state(Arc::clone(state));
    if let Some(acp) = acp {
        let login = from_fn_with_state(Arc::clone(state), authenticate);
        routes = routes.merge(acp.route_layer(login));
    }
    routes.layer(from_fn_with_state(Arc::clone(state), guard))
}

/// Answers with a file of the page.
async fn file(
    State(state): State<Arc<HttpState>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    match method {
        Method::GET | Method::HEAD => state.files.respond(uri.path(), &headers),
        _ => StatusCode::METHOD_NOT_ALLOWED.into_response(),
    }
}

/// Checks where a request comes from, bounds its body, and adds headers to its response.
async fn guard(
    State(state): State<Arc<HttpState>>,
    Extension(connection): Extension<Arc<Connection>>,
    request: Request,
    next: Next,
) -> Response {
    let begun = Instant::now();
    let open = connection.request();
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let mut response = checked(&state, &connection, request, next).await;
    let status = response.status();
    security_headers::add(response.headers_mut(), status);
    Access {
        peer: connection.peer.ip(),
        method: &method,
        uri: &uri,
        status,
        device: response.extensions().get().map(|ResponseOf(device)| device),
        took: begun.elapsed(),
    }
    .log();
    response.map(|body| Body::new(ResponseBody::open(body, open)))
}

async fn checked(
    state: &HttpState,
    connection: &Connection,
    request: Request,
    next: Next,
) -> Response {
    let (mut parts, body) = request.into_parts();
    match origin_check::check(&parts, &state.hosts, connection.local) {
        Ok(origin) => parts.extensions.insert(origin),
        Err((status, why)) => return (status, format!("{why}\n")).into_response(),
    };
    let limit = u64::try_from(state.options.body_bytes).unwrap_or(u64::MAX);
    if body.size_hint().lower() > limit {
        return (StatusCode::PAYLOAD_TOO_LARGE, "The body is too long.\n").into_response();
    }
    let body = RequestBody::new(body, state.options.body_bytes, state.options.body_time);
    next.run(Request::from_parts(parts, Body::new(body))).await
}
