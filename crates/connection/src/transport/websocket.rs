//! One frame in each text message of a WebSocket (RFC 6455).

mod header;
mod keep_alive;
mod output;
mod role;
mod source;

use self::keep_alive::KeepAlive;
use self::output::{SharedOutput, WebSocketSink};
use self::source::WebSocketSource;
use super::{FrameSink, FrameSource, Transport};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use ring::rand::{SecureRandom as _, SystemRandom};
use std::io;
use std::pin::Pin;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};

pub use role::WebSocketRole;

/// Carries one frame in each text message of a WebSocket, after the HTTP upgrade.
///
/// - A message may arrive in any number of parts, between which control frames may stand. No
///   extension is supported, so nothing is compressed, and a message takes no more memory than the
///   limit.
/// - A message that is too long, a binary message and a frame that breaks the rules end the
///   connection, and the close frame says why. Text that is not UTF-8 reaches the connection,
///   which answers it like any text that is not JSON.
/// - Pings are answered. If several wait to be answered, only the last one is.
/// - After a close frame of the peer, this side may still send, until the connection closes its
///   sink: the peer's last calls get their quick replies, and then the close frame.
///
/// A stream that serves both directions closes only when both halves are dropped or the sink is
/// closed. [`WebSocketTransport::from_halves`] lets each half close its own direction.
pub struct WebSocketTransport {
    input: Pin<Box<dyn AsyncRead + Send>>,
    output: Pin<Box<dyn AsyncWrite + Send>>,
    role: WebSocketRole,
    keep_alive: Option<Duration>,
}

impl WebSocketTransport {
    /// Returns a transport over a stream that was upgraded. The stream yields everything that
    /// followed the HTTP headers.
    pub fn new(stream: impl AsyncRead + AsyncWrite + Send + 'static, role: WebSocketRole) -> Self {
        let (input, output) = tokio::io::split(stream);
        Self::from_halves(input, output, role)
    }

    /// Returns a transport over two streams, one for each direction.
    pub fn from_halves(
        input: impl AsyncRead + Send + 'static,
        output: impl AsyncWrite + Send + 'static,
        role: WebSocketRole,
    ) -> Self {
        Self { input: Box::pin(input), output: Box::pin(output), role, keep_alive: None }
    }

    /// Sends a ping when nothing arrived for this time. If nothing arrives for as long again, the
    /// peer is gone, and the source fails with [`TimedOut`](std::io::ErrorKind::TimedOut).
    #[must_use]
    pub fn keep_alive(mut self, interval: Duration) -> Self {
        self.keep_alive = Some(interval);
        self
    }
}

impl Transport for WebSocketTransport {
    fn open(self: Box<Self>, limit: usize) -> (Box<dyn FrameSource>, Box<dyn FrameSink>) {
        let output = SharedOutput::new(self.output, self.role);
        let keep_alive = self.keep_alive.map(KeepAlive::new);
        let source = WebSocketSource::new(self.input, self.role, limit, output.clone(), keep_alive);
        (Box::new(source), Box::new(WebSocketSink(output)))
    }
}

impl std::fmt::Debug for WebSocketTransport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebSocketTransport").field("role", &self.role).finish_non_exhaustive()
    }
}

/// Returns the value of `Sec-WebSocket-Accept` for a value of `Sec-WebSocket-Key`.
pub fn websocket_accept(key: &str) -> String {
    const SUFFIX: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    let hash = digest(&SHA1_FOR_LEGACY_USE_ONLY, format!("{key}{SUFFIX}").as_bytes());
    STANDARD.encode(hash)
}

/// Returns a new value of `Sec-WebSocket-Key`.
///
/// # Errors
/// Returns an error if the system has no random numbers.
pub fn websocket_key() -> io::Result<String> {
    let mut key = [0; 16];
    let random = SystemRandom::new();
    random.fill(&mut key).map_err(|_| io::Error::other("the system has no random numbers"))?;
    Ok(STANDARD.encode(key))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_accept_value_is_the_one_of_the_standard() {
        let accept = super::websocket_accept("dGhlIHNhbXBsZSBub25jZQ==");
        assert_eq!(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }
}
