//! The requests of one connection over streamable HTTP.

use super::events::Events;
use super::remote_error::RemoteError;
use super::requests::Requests;
use attache_connection::transport::streamable::{
    CONNECTION_ID, CallSessions, EVENT_STREAM, Envelope, JSON, SESSION_ID,
};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use reqwest::{Method, RequestBuilder, Response, StatusCode};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::timeout;

/// A stream on which nothing arrives for this time is broken. Servers send a comment every 15 s.
const SILENCE: Duration = Duration::from_secs(120);

/// How long a server may take to answer a request whose answer is not a stream.
const PATIENCE: Duration = Duration::from_secs(60);

/// The requests of one connection.
pub(super) struct Exchange {
    requests: Requests,
    id: HeaderValue,
    limit: usize,
    calls: Mutex<Calls>,
}

/// The open calls of both sides, with their sessions.
#[derive(Default)]
struct Calls {
    ours: CallSessions,
    agents: CallSessions,
}

impl Exchange {
    /// Opens a connection with its first message, and returns it with the reply.
    pub(super) async fn begin(
        requests: Requests,
        message: Vec<u8>,
        limit: usize,
    ) -> Result<(Self, Vec<u8>), RemoteError> {
        let request = requests.begin(Method::POST).header(CONTENT_TYPE, JSON).body(message);
        let first = async {
            let response = requests.send(request, StatusCode::OK).await?;
            let Some(id) = response.headers().get(CONNECTION_ID).cloned() else {
                return Err(requests.not_acp("answered initialize without Acp-Connection-Id"));
            };
            Ok((id, body(&requests, response, limit).await?))
        };
        let first = timeout(PATIENCE, first).await;
        let (id, reply) = first
            .map_err(|_| RemoteError::Silent(requests.host.clone()))?
            .map_err(|error| requests.first_failed(error))?;
        Ok((Self { requests, id, limit, calls: Mutex::default() }, reply))
    }

    /// Returns the session of a message that this side sends.
    pub(super) fn session_of(&self, message: &Envelope<'_>) -> Option<String> {
        let mut calls = self.calls();
        if message.is_reply() {
            return calls.agents.take(&message.id()?);
        }
        let session = message.session()?;
        if let Some(call) = message.id() {
            calls.ours.insert(call, &session);
        }
        Some(session)
    }

    /// Takes note of a received message. Returns the session that it opens.
    pub(super) fn received(&self, message: &[u8]) -> Option<String> {
        let message = Envelope::of(message)?;
        let (id, mut calls) = (message.id()?, self.calls());
        if message.is_reply() {
            calls.ours.take(&id);
            return message.opened_session();
        }
        calls.agents.insert(id, &message.session()?);
        None
    }

    /// Whether a call of this session waits for its reply.
    pub(super) fn has_open_call(&self, session: &str) -> bool {
        self.calls().ours.has_open(session)
    }

    /// Posts a message.
    pub(super) async fn post(
        &self,
        message: Vec<u8>,
        session: Option<&str>,
    ) -> Result<(), RemoteError> {
        let request = self.request(Method::POST, session).header(CONTENT_TYPE, JSON).body(message);
        match self.sent(request, StatusCode::ACCEPTED).await {
            // Any other success is as good.
            Err(RemoteError::Refused { status: 200..=299, .. }) => Ok(()),
            sent => sent.map(drop),
        }
    }

    /// Ends the connection.
    pub(super) async fn delete(&self) -> Result<(), RemoteError> {
        self.sent(self.request(Method::DELETE, None), StatusCode::ACCEPTED).await.map(drop)
    }

    /// Opens the stream of the connection or of a session.
    pub(super) async fn open_stream(
        &self,
        session: Option<&str>,
    ) -> Result<MessageStream<'_>, RemoteError> {
        let request = self.request(Method::GET, session).header(ACCEPT, EVENT_STREAM);
        let response = self.sent(request, StatusCode::OK).await?;
        let content_type = response.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes);
        if !content_type.is_some_and(|it| it.starts_with(EVENT_STREAM.as_bytes())) {
            return Err(self.requests.not_acp("answered a stream with something else"));
        }
        Ok(MessageStream { exchange: self, response, events: Events::new(self.limit) })
    }

    /// The error of a connection that the server ended.
    pub(super) fn closed(&self) -> RemoteError {
        RemoteError::Closed(self.requests.host.clone())
    }

    fn request(&self, method: Method, session: Option<&str>) -> RequestBuilder {
        let request = self.requests.begin(method).header(CONNECTION_ID, &self.id);
        match session {
            Some(session) => request.header(SESSION_ID, session),
            None => request,
        }
    }

    async fn sent(
        &self,
        request: RequestBuilder,
        expected: StatusCode,
    ) -> Result<Response, RemoteError> {
        match timeout(PATIENCE, self.requests.send(request, expected)).await {
            Ok(Err(RemoteError::Refused { status: 404 | 410, .. })) => Err(self.closed()),
            Ok(sent) => sent,
            Err(_) => Err(RemoteError::Silent(self.requests.host.clone())),
        }
    }

    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A stream of messages from the server.
pub(super) struct MessageStream<'e> {
    exchange: &'e Exchange,
    response: Response,
    events: Events,
}

impl MessageStream<'_> {
    /// Waits for more messages. Returns `None` when the server ended the stream.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<Vec<u8>>>, RemoteError> {
        let requests = &self.exchange.requests;
        match timeout(SILENCE, self.response.chunk()).await {
            Ok(Ok(Some(bytes))) => {
                let messages = self.events.feed(&bytes);
                let too_long = |_| requests.not_acp("sent a message that is too long");
                messages.map(Some).map_err(too_long)
            }
            Ok(Ok(None)) => Ok(None),
            Ok(Err(error)) => Err(requests.failed(error)),
            Err(_) => Err(RemoteError::Silent(requests.host.clone())),
        }
    }
}

/// Reads a body of at most `limit` bytes.
async fn body(
    requests: &Requests,
    mut response: Response,
    limit: usize,
) -> Result<Vec<u8>, RemoteError> {
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await.map_err(|error| requests.failed(error))? {
        if body.len() + bytes.len() > limit {
            return Err(requests.not_acp("answered initialize with too much"));
        }
        body.extend_from_slice(&bytes);
    }
    Ok(body)
}
