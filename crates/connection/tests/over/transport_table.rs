//! The transports over which the tests of a connection run.

#![allow(dead_code, reason = "each test program uses a part of this")]
#![allow(clippy::unwrap_used, reason = "a test fails at the first unexpected value")]

use attache_connection::transport::{
    FrameSink, FrameSource, Frames, Incoming, LineTransport, MemoryTransport, Transport,
    WebSocketRole, WebSocketTransport,
};
use std::future::poll_fn;
use std::io::Write as _;

/// A kind of transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Over {
    /// Lines over a pair of byte streams.
    Lines,
    Memory,
    /// Text messages; the first end is the server.
    WebSocket,
}

const TABLE: [Over; 3] = [Over::Lines, Over::Memory, Over::WebSocket];

impl Over {
    /// Returns each transport. If a test panics, says over which.
    pub(crate) fn each() -> Each {
        Each(0)
    }

    /// Returns two ends that are joined and buffer `bytes` bytes each way.
    pub(crate) fn pair(self, bytes: usize) -> (Box<dyn Transport>, Box<dyn Transport>) {
        match self {
            Self::Lines => {
                let (first, second) = tokio::io::duplex(bytes);
                (lines(tokio::io::split(first)), lines(tokio::io::split(second)))
            }
            Self::Memory => {
                let (first, second) = MemoryTransport::pair(bytes);
                (Box::new(first), Box::new(second))
            }
            Self::WebSocket => {
                let (first, second) = tokio::io::duplex(bytes);
                let server = WebSocketTransport::new(first, WebSocketRole::Server);
                let client = WebSocketTransport::new(second, WebSocketRole::Client);
                (Box::new(server), Box::new(client))
            }
        }
    }

    /// Returns one end for a connection, and the other end, which the test drives.
    pub(crate) fn raw(self, bytes: usize) -> (Box<dyn Transport>, RawEnd) {
        let (ours, raw) = self.pair(bytes);
        (ours, RawEnd::new(raw))
    }

    /// Like [`Over::raw`], but each direction can end before the other.
    pub(crate) fn raw_of_two_pipes(self) -> (Box<dyn Transport>, RawEnd) {
        match self {
            Self::Lines => {
                let (our_output, raw_input) = tokio::net::unix::pipe::pipe().unwrap();
                let (raw_output, our_input) = tokio::net::unix::pipe::pipe().unwrap();
                (lines((our_input, our_output)), RawEnd::new(lines((raw_input, raw_output))))
            }
            Self::Memory => self.raw(4096),
            Self::WebSocket => {
                let (our_output, raw_input) = tokio::net::unix::pipe::pipe().unwrap();
                let (raw_output, our_input) = tokio::net::unix::pipe::pipe().unwrap();
                let halves = WebSocketTransport::from_halves;
                let ours = halves(our_input, our_output, WebSocketRole::Server);
                let raw = halves(raw_input, raw_output, WebSocketRole::Client);
                (Box::new(ours), RawEnd::new(Box::new(raw)))
            }
        }
    }
}

fn lines(
    (input, output): (
        impl tokio::io::AsyncRead + Send + 'static,
        impl tokio::io::AsyncWrite + Send + 'static,
    ),
) -> Box<dyn Transport> {
    Box::new(LineTransport::new(input, output))
}

/// See [`Over::each`].
pub(crate) struct Each(usize);

impl Iterator for Each {
    type Item = Over;

    fn next(&mut self) -> Option<Over> {
        self.0 += 1;
        TABLE.get(self.0 - 1).copied()
    }
}

impl Drop for Each {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = writeln!(std::io::stderr(), "over {:?}", TABLE.get(self.0.wrapping_sub(1)));
        }
    }
}

/// An end of a transport that sends and receives any frame.
pub(crate) struct RawEnd {
    source: Option<Box<dyn FrameSource>>,
    sink: Box<dyn FrameSink>,
}

impl RawEnd {
    pub(crate) fn new(transport: Box<dyn Transport>) -> Self {
        let (source, sink) = transport.open(usize::MAX);
        Self { source: Some(source), sink }
    }

    pub(crate) async fn send(&mut self, frame: impl AsRef<[u8]>) -> std::io::Result<()> {
        send(&mut self.sink, frame.as_ref()).await
    }

    /// Waits for the next frame. Returns `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<String> {
        next(self.source.as_mut()?).await.map(|frame| String::from_utf8(frame).unwrap())
    }

    /// Passes every frame of each end to the other, until one direction ends.
    pub(crate) async fn relay(self, other: Self) {
        tokio::select! {
            () = pass(self.source, other.sink) => {}
            () = pass(other.source, self.sink) => {}
        }
    }

    /// Closes the direction in which this end receives.
    pub(crate) fn stop_receiving(&mut self) {
        self.source = None;
    }
}

async fn send(sink: &mut Box<dyn FrameSink>, frame: &[u8]) -> std::io::Result<()> {
    let mut frames = Frames::new();
    frames.push(frame);
    while !frames.is_empty() {
        poll_fn(|context| sink.poll_send(context, &mut frames)).await?;
    }
    poll_fn(|context| sink.poll_flush(context)).await
}

async fn next(source: &mut Box<dyn FrameSource>) -> Option<Vec<u8>> {
    loop {
        match source.next_frame() {
            Incoming::Frame(frame) => return Some(frame.to_vec()),
            Incoming::More => {}
            _ => return None,
        }
        poll_fn(|context| source.poll_fill(context)).await;
    }
}

async fn pass(source: Option<Box<dyn FrameSource>>, mut sink: Box<dyn FrameSink>) {
    let Some(mut source) = source else { return };
    while let Some(frame) = next(&mut source).await {
        if send(&mut sink, &frame).await.is_err() {
            return;
        }
    }
}
