//! The HTTP+SSE transport of MCP 2024-11-05, which streamable HTTP replaced and the library no
//! longer supports. The server sends its messages as one stream of events, and the client posts its
//! messages to the address in the first event.

use super::listing::mark;
use crate::models::{SseEvent, SseParser};
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Client, Response, Url};
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

/// The timeout for posting a message.
const POST: Duration = Duration::from_secs(30);

/// A connection: the stream of events, and the address for messages.
pub(super) struct Legacy {
    client: Client,
    post: Url,
    stream: Stream,
}

struct Stream {
    response: Response,
    parser: SseParser,
    events: VecDeque<SseEvent>,
}

/// The cause of a broken connection: the server or the network.
#[derive(Debug)]
pub(super) enum LegacyError {
    /// The request failed.
    Http(reqwest::Error),
    /// The server responded with this status.
    Status(u16),
    /// The response is not an event stream.
    NoStream,
    /// The stream does not begin with an address for messages, or that address has another origin.
    NoEndpoint,
    /// A message could not be serialized.
    Json(serde_json::Error),
}

impl fmt::Display for LegacyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Http(_) => f.write_str("the request to the server failed"),
            Self::Status(status) => write!(f, "HTTP {status}"),
            Self::NoStream => {
                f.write_str("its response is not an event stream: check the address and the type")
            }
            Self::NoEndpoint => f.write_str(
                "its stream does not begin with an address for messages at the same origin",
            ),
            Self::Json(_) => f.write_str("a message could not be serialized"),
        }
    }
}

impl std::error::Error for LegacyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Http(error) => Some(error),
            Self::Json(error) => Some(error),
            Self::Status(_) | Self::NoStream | Self::NoEndpoint => None,
        }
    }
}

impl Legacy {
    /// Opens the stream and waits for the address in its first event.
    pub(super) async fn connect(client: Client, url: Url) -> Result<Self, LegacyError> {
        let request = client.get(url.clone()).header(ACCEPT, "text/event-stream");
        let response = request.send().await.map_err(LegacyError::Http)?;
        if !response.status().is_success() {
            return Err(LegacyError::Status(response.status().as_u16()));
        }
        let kind =
            response.headers().get(CONTENT_TYPE).map(|kind| kind.as_bytes().to_ascii_lowercase());
        if !kind.is_some_and(|kind| kind.starts_with(b"text/event-stream")) {
            return Err(LegacyError::NoStream);
        }
        // The address after redirects.
        let url = response.url().clone();
        let mut stream = Stream { response, parser: SseParser::default(), events: VecDeque::new() };
        let endpoint = stream.next().await.filter(|event| event.name == b"endpoint");
        let endpoint = endpoint.and_then(|event| String::from_utf8(event.data).ok());
        let post = endpoint.and_then(|endpoint| url.join(endpoint.trim()).ok());
        // Headers with keys are never sent to another origin.
        let post =
            post.filter(|post| post.origin() == url.origin()).ok_or(LegacyError::NoEndpoint)?;
        Ok(Self { client, post, stream })
    }
}

impl Stream {
    /// Returns the next event, or `None` if the stream has ended or is broken. This method is
    /// cancel safe.
    async fn next(&mut self) -> Option<SseEvent> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Some(event);
            }
            let bytes = self.response.chunk().await.ok()??;
            self.parser.push(&bytes, &mut self.events).ok()?;
        }
    }
}

impl Transport<RoleClient> for Legacy {
    type Error = LegacyError;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), LegacyError>> + Send + 'static {
        let request = self
            .client
            .post(self.post.clone())
            .header(CONTENT_TYPE, "application/json")
            .timeout(POST);
        async move {
            let body = serde_json::to_vec(&message).map_err(LegacyError::Json)?;
            let response = request.body(body).send().await.map_err(LegacyError::Http)?;
            match response.status() {
                status if status.is_success() => Ok(()),
                status => Err(LegacyError::Status(status.as_u16())),
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let event = self.stream.next().await?;
            // Invalid messages are ignored, as they are on every other transport.
            let data = mark(&event.data).unwrap_or(event.data);
            if let (b"" | b"message", Ok(message)) =
                (event.name.as_slice(), serde_json::from_slice(&data))
            {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), LegacyError> {
        Ok(())
    }
}
