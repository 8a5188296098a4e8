//! The requests of streamable HTTP.

use super::connections::{Connections, Full};
use super::event_stream::EventStream;
use super::http_connection::HttpConnection;
use super::upgrade;
use crate::{AttachedClient, SharedHub};
use attache_connection::Limits;
use attache_connection::transport::streamable::{
    CONNECTION_ID, EVENT_STREAM, Envelope, JSON, LONGEST_ID, SESSION_ID,
};
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// The longest message that opens a connection.
const FIRST_MESSAGE: usize = 1024 * 1024;

/// How long a body may take to arrive, and the hub to answer `initialize`.
const PATIENCE: Duration = Duration::from_secs(60);

/// The answer to a batch, which ACP does not use.
const NO_BATCHES: &str = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"JSON-RPC batches are not supported"}}"#;

/// A request that is refused, with the reason.
pub(super) struct Refused(pub(super) StatusCode, pub(super) &'static str);

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        (self.0, self.1).into_response()
    }
}

impl From<Full> for Refused {
    fn from(full: Full) -> Self {
        let why = match full {
            Full::Hub => "too many connections are open: close one",
            Full::Place => "this device has too many open connections: close one",
        };
        Self(StatusCode::SERVICE_UNAVAILABLE, why)
    }
}

const UNKNOWN: Refused =
    Refused(StatusCode::NOT_FOUND, "there is no such connection: send initialize again");

/// The hub and the authenticated client of a request.
pub(super) type Caller = (Arc<SharedHub>, Arc<AttachedClient>);

/// Returns the hub and the authenticated client of a request.
pub(super) fn caller(request: &Request) -> Result<Caller, Refused> {
    let extensions = request.extensions();
    match (extensions.get::<Arc<SharedHub>>(), extensions.get::<Arc<AttachedClient>>()) {
        (Some(shared), Some(client)) if client.scope().is_some() => {
            Ok((shared.clone(), client.clone()))
        }
        _ => Err(Refused(StatusCode::UNAUTHORIZED, "the request is not authenticated")),
    }
}

/// Takes a message of the client.
pub(super) async fn post(
    State(connections): State<Arc<Connections>>,
    request: Request,
) -> Result<Response, Refused> {
    let caller = caller(&request)?;
    let (parts, body) = request.into_parts();
    let content_type = text(&parts.headers, CONTENT_TYPE.as_str()).unwrap_or_default();
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    if !media_type.eq_ignore_ascii_case(JSON) {
        let wrong = "the body must be JSON, and its Content-Type application/json";
        return Err(Refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, wrong));
    }
    if !parts.headers.contains_key(CONNECTION_ID) {
        return initialize(&connections, caller, body).await;
    }
    let connection = find(&connections, &caller, &parts.headers)?;
    let session = session(&parts.headers)?;
    let _busy = connection.busy();
    let mut turn = connection.turn_to_post().await;
    let message = read(body, Limits::default().frame).await?;
    match message.trim_ascii_start().first() {
        Some(b'{') => {}
        Some(b'[') => return Ok(json(StatusCode::BAD_REQUEST, NO_BATCHES.into())),
        _ => return Err(Refused(StatusCode::BAD_REQUEST, "the body is not a JSON-RPC message")),
    }
    let envelope = Envelope::of(&message).unwrap_or_default();
    if envelope.method() == Some("initialize") {
        return Err(Refused(StatusCode::BAD_REQUEST, "the connection is initialized already"));
    }
    let named = envelope.session();
    if named.is_some() && session.is_some() && named != session {
        let differ = "Acp-Session-Id differs from the sessionId of the message";
        return Err(Refused(StatusCode::BAD_REQUEST, differ));
    }
    let session = named.or(session);
    turn.post(&message, session.as_deref()).await.map_err(|_| UNKNOWN)?;
    Ok(StatusCode::ACCEPTED.into_response())
}

/// Opens a connection with its first message.
async fn initialize(
    connections: &Arc<Connections>,
    (shared, client): Caller,
    body: Body,
) -> Result<Response, Refused> {
    let message = read(body, FIRST_MESSAGE).await?;
    let envelope = Envelope::of(&message);
    let is_initialize = |envelope: &Envelope<'_>| envelope.method() == Some("initialize");
    let Some(id) = envelope.filter(is_initialize).and_then(|envelope| envelope.id()) else {
        let first = "a request without Acp-Connection-Id must be a call of initialize";
        return Err(Refused(StatusCode::BAD_REQUEST, first));
    };
    let (connection_id, connection) = connections.open_http(shared, client)?;
    let guard = Unannounced { connections, id: Some(&connection_id) };
    let _busy = connection.busy();
    let answering = async {
        let reply = connection.initialize(id, &message).await.ok()?;
        reply.await.ok()
    };
    let Ok(Some(reply)) = timeout(PATIENCE, answering).await else {
        return Err(Refused(StatusCode::BAD_GATEWAY, "the hub did not answer initialize"));
    };
    guard.announced();
    let mut response = json(StatusCode::OK, reply.into());
    if let Ok(id) = connection_id.parse() {
        response.headers_mut().insert(CONNECTION_ID, id);
    }
    Ok(response)
}

/// Ends a connection whose request ended before the client learned its id.
struct Unannounced<'c> {
    connections: &'c Connections,
    id: Option<&'c str>,
}

impl Unannounced<'_> {
    fn announced(mut self) {
        self.id = None;
    }
}

impl Drop for Unannounced<'_> {
    fn drop(&mut self) {
        self.id.into_iter().for_each(|id| self.connections.forget(id));
    }
}

/// Opens a WebSocket or a stream of server-sent events.
pub(super) async fn get(
    State(connections): State<Arc<Connections>>,
    request: Request,
) -> Result<Response, Refused> {
    if upgrade::is_websocket(request.headers()) {
        return upgrade::accept(&connections, request);
    }
    let caller = caller(&request)?;
    let headers = request.headers();
    if !text(headers, ACCEPT.as_str()).is_some_and(|accept| accept.contains(EVENT_STREAM)) {
        let wrong = "the Accept header must name text/event-stream, or the request be an upgrade";
        return Err(Refused(StatusCode::NOT_ACCEPTABLE, wrong));
    }
    let connection = find(&connections, &caller, headers)?;
    let Some(stream) = connection.open_stream(session(headers)?) else {
        let taken = "another request reads this stream, or there are too many streams";
        return Err(Refused(StatusCode::CONFLICT, taken));
    };
    let headers = [(CONTENT_TYPE, EVENT_STREAM), (CACHE_CONTROL, "no-cache, no-transform")];
    Ok((headers, Body::new(EventStream::new(stream))).into_response())
}

/// Ends a connection.
pub(super) async fn delete(
    State(connections): State<Arc<Connections>>,
    request: Request,
) -> Result<Response, Refused> {
    let (_, client) = caller(&request)?;
    match connections.delete(connection_id(request.headers())?, &client) {
        true => Ok(StatusCode::ACCEPTED.into_response()),
        false => Err(UNKNOWN),
    }
}

fn find(
    connections: &Connections,
    (_, client): &Caller,
    headers: &HeaderMap,
) -> Result<Arc<HttpConnection>, Refused> {
    connections.find(connection_id(headers)?, client).ok_or(UNKNOWN)
}

fn connection_id(headers: &HeaderMap) -> Result<&str, Refused> {
    let missing = "the header Acp-Connection-Id is missing";
    text(headers, CONNECTION_ID).ok_or(Refused(StatusCode::BAD_REQUEST, missing))
}

fn session(headers: &HeaderMap) -> Result<Option<String>, Refused> {
    match headers.get(SESSION_ID).map(|id| id.to_str()) {
        None => Ok(None),
        Some(Ok(id)) if id.len() <= LONGEST_ID => Ok(Some(id.to_owned())),
        Some(_) => Err(Refused(StatusCode::BAD_REQUEST, "Acp-Session-Id is too long or not text")),
    }
}

pub(super) fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Reads a body of at most `limit` bytes.
async fn read(body: Body, limit: usize) -> Result<Bytes, Refused> {
    match timeout(PATIENCE, Limited::new(body, limit).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            Err(Refused(StatusCode::PAYLOAD_TOO_LARGE, "the message is too long"))
        }
        Ok(Err(_)) => Err(Refused(StatusCode::BAD_REQUEST, "the body did not arrive completely")),
        Err(_) => Err(Refused(StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time")),
    }
}

fn json(status: StatusCode, body: Bytes) -> Response {
    (status, [(CONTENT_TYPE, JSON)], body).into_response()
}
