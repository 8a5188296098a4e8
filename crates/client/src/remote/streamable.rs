//! The client of streamable HTTP, as a transport.
//!
//! A task of the transport posts each message and reads the streams of the server: one of the
//! connection, and one of each session. It ends with the sink of the transport.

use super::exchange::Exchange;
use super::remote_error::RemoteError;
use super::requests::Requests;
use attache_connection::transport::streamable::Envelope;
use attache_connection::transport::{
    FrameReader, FrameSink, FrameSource, FrameWriter, Frames, Incoming, MemoryTransport, Transport,
    frame_ends,
};
use std::collections::HashSet;
use std::io;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;

/// How much is queued in each direction.
const QUEUE: usize = 64 * 1024;

/// How long the server may take to confirm that the connection ends.
const ENDING: Duration = Duration::from_secs(2);

/// Why the transport ended.
#[derive(Clone, Default)]
pub(super) struct Failure(Arc<OnceLock<RemoteError>>);

impl Failure {
    pub(super) fn get(&self) -> Option<RemoteError> {
        self.0.get().cloned()
    }
}

/// The client of streamable HTTP, as a transport. The first frame is a call of `initialize`.
pub(super) struct StreamableTransport {
    requests: Requests,
    failure: Failure,
}

impl StreamableTransport {
    pub(super) fn new(requests: Requests) -> Self {
        Self { requests, failure: Failure::default() }
    }

    pub(super) fn failure(&self) -> Failure {
        self.failure.clone()
    }
}

impl Transport for StreamableTransport {
    fn open(self: Box<Self>, limit: usize) -> (Box<dyn FrameSource>, Box<dyn FrameSink>) {
        let (ours, others) = MemoryTransport::pair(QUEUE);
        let (source, sink) = Box::new(ours).open(limit);
        let mut running = JoinSet::new();
        let Self { requests, failure } = *self;
        running.spawn(run(requests, others, limit, failure.clone()));
        (Box::new(Source { source, failure }), Box::new(Sink { sink, running }))
    }
}

struct Source {
    source: Box<dyn FrameSource>,
    failure: Failure,
}

impl FrameSource for Source {
    fn poll_fill(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.source.poll_fill(context)
    }

    fn next_frame(&mut self) -> Incoming<'_> {
        match (self.source.next_frame(), self.failure.get()) {
            (Incoming::End, Some(failure)) => Incoming::Failed(io::Error::other(failure)),
            (incoming, _) => incoming,
        }
    }
}

struct Sink {
    sink: Box<dyn FrameSink>,
    running: JoinSet<()>,
}

impl FrameSink for Sink {
    fn poll_send(
        &mut self,
        context: &mut Context<'_>,
        frames: &mut Frames,
    ) -> Poll<io::Result<()>> {
        self.sink.poll_send(context, frames)
    }

    fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.sink.poll_flush(context)
    }

    /// Waits until everything is posted and the connection is deleted.
    fn poll_close(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let _ = ready!(self.sink.poll_close(context));
        while ready!(self.running.poll_join_next(context)).is_some() {}
        Poll::Ready(Ok(()))
    }
}

/// Runs the exchange until either side ends it.
async fn run(requests: Requests, others: MemoryTransport, limit: usize, failure: Failure) {
    let (mut to_server, to_us) = frame_ends(others, usize::MAX);
    let to_us = Arc::new(Mutex::new(to_us));
    let outcome = async {
        let Ok(Some(first)) = to_server.next().await else { return Ok(()) };
        let (exchange, reply) = Exchange::begin(requests, first, limit).await?;
        let exchange = Arc::new(exchange);
        let (opened, to_open) = mpsc::channel(16);
        let reading = Reading { exchange: exchange.clone(), to_us: to_us.clone(), opened };
        let sent = to_us.lock().await.send(&reply).await;
        let outcome = tokio::select! {
            outcome = post_all(&reading, &mut to_server), if sent.is_ok() => outcome,
            outcome = read_all(&reading, to_open), if sent.is_ok() => outcome,
            else => Ok(()),
        };
        // The server also ends a connection that nothing uses.
        let _ = tokio::time::timeout(ENDING, exchange.delete()).await;
        outcome
    };
    if let Err(error) = outcome.await {
        let _ = failure.0.set(error);
    }
    // The source ends when the last clone of this is dropped, after the failure is known.
    drop(to_us);
}

/// What the tasks that read the streams share.
#[derive(Clone)]
struct Reading {
    exchange: Arc<Exchange>,
    to_us: Arc<Mutex<FrameWriter>>,
    /// The sessions whose streams are to be opened.
    opened: mpsc::Sender<String>,
}

/// Posts the messages in order, until this side closes the connection.
async fn post_all(reading: &Reading, to_server: &mut FrameReader) -> Result<(), RemoteError> {
    let exchange = &reading.exchange;
    while let Ok(Some(message)) = to_server.next().await {
        let envelope = Envelope::of(&message).unwrap_or_default();
        let call = envelope.id().filter(|_| envelope.is_call());
        let session = exchange.session_of(&envelope);
        if let Some(session) = &session {
            // Its stream is open before its first message arrives at the server, or soon after.
            let _ = reading.opened.send(session.clone()).await;
        }
        match (exchange.post(message, session.as_deref()).await, call) {
            (Ok(()), _) => {}
            // Only this call failed.
            (Err(error @ RemoteError::Refused { .. }), Some(call)) => {
                let reply = refusal(&call, &error);
                exchange.received(reply.as_bytes());
                let _ = reading.to_us.lock().await.send(reply.as_bytes()).await;
            }
            (Err(error), _) => return Err(error),
        }
    }
    Ok(())
}

/// The reply to a call that the server refused. `call` is JSON.
fn refusal(call: &str, error: &RemoteError) -> String {
    let message = serde_json::Value::from(error.to_string());
    format!(r#"{{"jsonrpc":"2.0","id":{call},"error":{{"code":-32603,"message":{message}}}}}"#)
}

/// Reads the streams of the server. Returns when one of them ends although it is still needed.
async fn read_all(
    reading: &Reading,
    mut to_open: mpsc::Receiver<String>,
) -> Result<(), RemoteError> {
    let mut streams = JoinSet::new();
    let mut open = HashSet::new();
    streams.spawn(read(reading.clone(), None));
    loop {
        tokio::select! {
            Some(session) = to_open.recv() => {
                if open.insert(session.clone()) {
                    streams.spawn(read(reading.clone(), Some(session)));
                }
            }
            Some(ended) = streams.join_next() => match ended {
                // A server may end the stream of a session that was closed.
                Ok((Some(session), Ok(()))) if !reading.exchange.has_open_call(&session) => {
                    open.remove(&session);
                }
                Ok((_, Err(error))) => return Err(error),
                _ => return Err(reading.exchange.closed()),
            },
        }
    }
}

/// Reads the stream of the connection or of a session until it ends.
async fn read(
    reading: Reading,
    session: Option<String>,
) -> (Option<String>, Result<(), RemoteError>) {
    let outcome = async {
        let mut stream = reading.exchange.open_stream(session.as_deref()).await?;
        while let Some(messages) = stream.next().await? {
            for message in messages {
                let opened = reading.exchange.received(&message);
                if reading.to_us.lock().await.send(&message).await.is_err() {
                    return Ok(());
                }
                if let Some(opened) = opened {
                    let _ = reading.opened.send(opened).await;
                }
            }
        }
        Ok(())
    };
    let outcome = outcome.await;
    (session, outcome)
}
