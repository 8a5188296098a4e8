//! MCP over HTTP on loopback: streamable HTTP with JSON responses, and the older HTTP transport
//! with one event stream for all answers.

use super::reach::McpReach;
use super::server::{McpServer, ServerConnection, Transport};
use crate::model;
use crate::peer::loopback;
use hyper::body::{Bytes, Frame, Incoming, SizeHint};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// The size limit of a request in bytes.
const REQUEST: usize = 1024 * 1024;
/// The largest number of queued answers in an event stream.
const EVENTS: usize = 16;
/// The largest number of open event streams. The oldest one is dropped.
const STREAMS: usize = 64;

/// The HTTP listener of the servers. Every path begins with the token. Requests for other paths get
/// status 404.
#[derive(Debug)]
pub(super) struct Http {
    listener: TcpListener,
    address: SocketAddr,
    known: Known,
}

/// The shared state of all connections.
#[derive(Debug, Clone)]
struct Known {
    token: Arc<str>,
    streams: Arc<Mutex<Streams>>,
}

/// The open event streams, by number.
#[derive(Debug, Default)]
struct Streams {
    last: usize,
    open: BTreeMap<usize, mpsc::Sender<Bytes>>,
}

impl Http {
    pub(super) fn open() -> io::Result<Self> {
        let listener = loopback::listen()?;
        let known = Known { token: loopback::token()?.into(), streams: Arc::default() };
        Ok(Self { address: listener.local_addr()?, listener, known })
    }

    /// Returns the URL without the name of a server.
    pub(super) fn url(&self) -> String {
        format!("http://{}/{}/", self.address, self.known.token)
    }

    /// Serves connections until the future is dropped.
    pub(super) async fn serve(self, reach: McpReach) {
        let Self { listener, known, .. } = self;
        loopback::serve(listener, move |stream| converse(stream, known.clone(), reach.clone()))
            .await;
    }
}

async fn converse(stream: TcpStream, known: Known, reach: McpReach) {
    let service = service_fn(|request| async {
        let response = respond(request, &known, &reach).await;
        Ok::<_, Infallible>(response.unwrap_or_else(status))
    });
    // If the agent disconnects, the connection ends with an error, which is ignored.
    let _ended = hyper::server::conn::http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

/// Returns the answer, or a status without a body.
async fn respond(
    request: Request<Incoming>,
    known: &Known,
    reach: &McpReach,
) -> Result<Response<Body>, StatusCode> {
    let (head, body) = request.into_parts();
    let path = head.uri.path().strip_prefix('/').and_then(|path| path.split_once('/'));
    let name = path.filter(|(token, _)| *token == &*known.token).map(|(_, name)| name);
    let server = name.and_then(|name| reach.find(name)).ok_or(StatusCode::NOT_FOUND)?;
    let headers =
        head.headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
    let met = ServerConnection::new(Arc::clone(&server), headers)
        .ok_or(StatusCode::SERVICE_UNAVAILABLE)?;
    match (server.transport(), head.method) {
        (Transport::Sse, Method::GET) => Ok(known.begin_events(head.uri.path())),
        (_, Method::POST) => {
            let body =
                model::body::read(body, REQUEST).await.ok_or(StatusCode::PAYLOAD_TOO_LARGE)?;
            let message = serde_json::from_slice(&body).map_err(|_| StatusCode::BAD_REQUEST)?;
            match head.uri.query() {
                Some(stream) if server.transport() == Transport::Sse => {
                    known.tell(stream, met.answer(&message)).await
                }
                _ => answer(&server, &met, &message).await,
            }
        }
        // The request ends a session, for which this server keeps no state.
        (Transport::Http, Method::DELETE) => Err(StatusCode::OK),
        _ => Err(StatusCode::METHOD_NOT_ALLOWED),
    }
}

/// Answers a message in the response. A silent server never answers.
async fn answer(
    server: &McpServer,
    met: &ServerConnection,
    message: &Value,
) -> Result<Response<Body>, StatusCode> {
    let Some(answer) = met.answer(message) else {
        let is_request = message.get("id").is_some() && message.get("method").is_some();
        return if is_request { std::future::pending().await } else { Err(StatusCode::ACCEPTED) };
    };
    let mut response =
        of_kind("application/json", Body::Whole(Some(Bytes::from(answer.to_string()))));
    if let Ok(session) = HeaderValue::from_str(server.name()) {
        response.headers_mut().insert("mcp-session-id", session);
    }
    Ok(response)
}

impl Known {
    /// Opens an event stream. The first event has the URL for requests.
    fn begin_events(&self, path: &str) -> Response<Body> {
        let (events, stream) = mpsc::channel(EVENTS);
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        streams.last += 1;
        let number = streams.last;
        // The channel is empty, so this cannot fail.
        let _told = events.try_send(event("endpoint", &format!("{path}?{number}")));
        streams.open.insert(number, events);
        if streams.open.len() > STREAMS {
            streams.open.pop_first();
        }
        of_kind("text/event-stream", Body::Events(stream))
    }

    /// Sends an answer to a stream, if the stream exists.
    async fn tell(
        &self,
        stream: &str,
        answer: Option<Value>,
    ) -> Result<Response<Body>, StatusCode> {
        let number = stream.parse::<usize>().map_err(|_| StatusCode::NOT_FOUND)?;
        let events = {
            let streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
            streams.open.get(&number).cloned().ok_or(StatusCode::NOT_FOUND)?
        };
        if let Some(answer) = answer {
            events
                .send(event("message", &answer.to_string()))
                .await
                .map_err(|_| StatusCode::GONE)?;
        }
        Err(StatusCode::ACCEPTED)
    }
}

fn event(kind: &str, data: &str) -> Bytes {
    Bytes::from(format!("event: {kind}\ndata: {data}\n\n"))
}

fn of_kind(kind: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

fn status(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::Whole(None));
    *response.status_mut() = status;
    response
}

/// The body of an answer.
#[derive(Debug)]
enum Body {
    Whole(Option<Bytes>),
    Events(mpsc::Receiver<Bytes>),
}

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let piece = match &mut *self {
            Self::Whole(whole) => Poll::Ready(whole.take()),
            Self::Events(events) => events.poll_recv(context),
        };
        piece.map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
    }

    /// Returns the length of an answer that is not a stream, for the header `content-length`.
    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(whole) => {
                SizeHint::with_exact(whole.as_ref().map_or(0, |whole| whole.len() as u64))
            }
            Self::Events(_) => SizeHint::default(),
        }
    }
}
