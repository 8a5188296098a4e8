//! One connection over streamable HTTP.
//!
//! The hub serves one end of a transport in memory. What it sends is distributed to the streams,
//! each of which is a bounded queue; what clients post is passed on in the order of arrival.

use super::routing::Routing;
use crate::{AttachedClient, Place};
use attache_connection::transport::streamable::Envelope;
use attache_connection::transport::{FrameReader, FrameWriter, MemoryTransport, frame_ends};
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::{Mutex as AsyncMutex, MutexGuard as AsyncGuard, oneshot, watch};
use tokio::time::Instant;

/// A connection without an open stream and without a request ends after this time.
pub const IDLE: Duration = Duration::from_secs(120);

/// How much a stream queues for its reader.
const STREAM: usize = 256 * 1024;

/// The largest number of sessions of a connection that have their own streams. The messages of
/// further sessions take the stream of the connection.
const STREAMS: usize = 1024;

/// One connection over streamable HTTP.
pub(super) struct HttpConnection {
    place: Place,
    /// Sends to the hub what the client posts. `None` once the connection ends.
    to_hub: AsyncMutex<Option<FrameWriter>>,
    routing: Mutex<Routing>,
    /// The streams by session. `None` is the connection's own.
    streams: Mutex<HashMap<Option<String>, Stream>>,
    initializing: Mutex<Option<Initializing>>,
    activity: watch::Sender<Activity>,
}

/// The call of `initialize`, whose reply is the response of its request.
struct Initializing {
    id: String,
    reply: oneshot::Sender<Vec<u8>>,
}

/// One queue of messages for the client.
struct Stream {
    writer: Arc<AsyncMutex<FrameWriter>>,
    /// `None` while a response reads it.
    reader: Option<FrameReader>,
}

#[derive(Clone, Copy)]
struct Activity {
    /// The number of requests and streams that are open.
    open: usize,
    last: Instant,
}

impl HttpConnection {
    /// Returns a connection, the transport for the hub, and the messages of the hub.
    pub(super) fn new(client: &AttachedClient) -> (Self, MemoryTransport, FrameReader) {
        let (ours, hubs) = MemoryTransport::pair(STREAM);
        let (from_hub, to_hub) = frame_ends(ours, usize::MAX);
        let connection = Self {
            place: client.place.clone(),
            to_hub: AsyncMutex::new(Some(to_hub)),
            routing: Mutex::default(),
            streams: Mutex::default(),
            initializing: Mutex::default(),
            activity: watch::Sender::new(Activity { open: 0, last: Instant::now() }),
        };
        (connection, hubs, from_hub)
    }

    /// Whether requests of this client may use the connection.
    pub(super) fn belongs_to(&self, client: &AttachedClient) -> bool {
        self.place == client.place
    }

    /// Waits until it is this request's turn to post. Each connection reads one body at a time.
    pub(super) async fn turn_to_post(&self) -> PostingTurn<'_> {
        PostingTurn { connection: self, to_hub: self.to_hub.lock().await }
    }

    /// Passes the call of `initialize` on, and returns a receiver of its reply.
    pub(super) async fn initialize(
        &self,
        id: String,
        message: &[u8],
    ) -> io::Result<oneshot::Receiver<Vec<u8>>> {
        let (reply, receiver) = oneshot::channel();
        *lock(&self.initializing) = Some(Initializing { id, reply });
        self.turn_to_post().await.post(message, None).await?;
        Ok(receiver)
    }

    /// Opens the stream of the connection or of a session. Returns `None` if it is open already.
    pub(super) fn open_stream(self: &Arc<Self>, session: Option<String>) -> Option<OpenStream> {
        let mut streams = lock(&self.streams);
        if streams.len() > STREAMS && !streams.contains_key(&session) {
            return None;
        }
        let reader = streams.entry(session.clone()).or_insert_with(Stream::new).reader.take()?;
        let busy = self.busy();
        Some(OpenStream { connection: self.clone(), session, reader: Some(reader), _busy: busy })
    }

    /// Distributes the messages of the hub to the streams, until the hub ends the connection.
    pub(super) async fn distribute(&self, mut from_hub: FrameReader) -> io::Result<()> {
        while let Some(message) = from_hub.next().await? {
            let Some(message) = self.without_reply_to_initialize(message) else { continue };
            let envelope = Envelope::of(&message).unwrap_or_default();
            let session = lock(&self.routing).stream_of(&envelope);
            let writer = self.writer(session);
            // The lock is free: only this function takes it.
            writer.lock().await.send(&message).await?;
        }
        Ok(())
    }

    /// Returns the message, unless it is the reply to `initialize`, which its request returns.
    fn without_reply_to_initialize(&self, message: Vec<u8>) -> Option<Vec<u8>> {
        let mut initializing = lock(&self.initializing);
        let Some(waiting) = initializing.as_ref() else { return Some(message) };
        let is_reply = Envelope::of(&message)
            .is_some_and(|it| it.is_reply() && it.id().as_ref() == Some(&waiting.id));
        if !is_reply {
            return Some(message);
        }
        let reply = initializing.take()?.reply;
        // If its request is gone, so is the connection.
        let _ = reply.send(message);
        None
    }

    fn writer(&self, session: Option<String>) -> Arc<AsyncMutex<FrameWriter>> {
        let mut streams = lock(&self.streams);
        let has_room = streams.len() <= STREAMS || streams.contains_key(&session);
        let session = session.filter(|_| has_room);
        streams.entry(session).or_insert_with(Stream::new).writer.clone()
    }

    /// Marks the connection as used until the returned value is dropped.
    pub(super) fn busy(self: &Arc<Self>) -> Busy {
        self.activity.send_modify(|activity| activity.open += 1);
        Busy(self.clone())
    }

    /// Waits until the connection was not used for [`IDLE`].
    pub(super) async fn unused(&self) {
        let mut changes = self.activity.subscribe();
        loop {
            let Activity { open, last } = *changes.borrow_and_update();
            let idle = async {
                match open {
                    0 => tokio::time::sleep_until(last + IDLE).await,
                    _ => std::future::pending().await,
                }
            };
            tokio::select! {
                () = idle => return,
                // The sender is part of `self`.
                _ = changes.changed() => {}
            }
        }
    }

    /// Tells the hub that the client is gone, and ends all streams after what they still queue. A
    /// request that is posting has this time to end.
    pub(super) async fn close(&self, patience: Duration) {
        lock(&self.streams).clear();
        if let Ok(mut to_hub) = tokio::time::timeout(patience, self.to_hub.lock()).await {
            *to_hub = None;
        }
    }
}

/// A request's turn to post.
pub(super) struct PostingTurn<'c> {
    connection: &'c HttpConnection,
    to_hub: AsyncGuard<'c, Option<FrameWriter>>,
}

impl PostingTurn<'_> {
    /// Passes a message of the client on to the hub.
    ///
    /// # Errors
    /// Returns an error if the connection has ended.
    pub(super) async fn post(&mut self, message: &[u8], session: Option<&str>) -> io::Result<()> {
        if let Some(envelope) = Envelope::of(message) {
            lock(&self.connection.routing).received(&envelope, session);
        }
        match self.to_hub.as_mut() {
            Some(to_hub) => to_hub.send(message).await,
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

impl Stream {
    fn new() -> Self {
        let (incoming, outgoing) = MemoryTransport::pair(STREAM);
        let (_, writer) = frame_ends(incoming, usize::MAX);
        let (reader, _) = frame_ends(outgoing, usize::MAX);
        Self { writer: Arc::new(AsyncMutex::new(writer)), reader: Some(reader) }
    }
}

/// A stream that a response reads. When the response ends, another may read on. A message that the
/// first one had taken and not delivered is lost then, so a client that loses a stream begins a new
/// connection.
pub(super) struct OpenStream {
    connection: Arc<HttpConnection>,
    session: Option<String>,
    reader: Option<FrameReader>,
    _busy: Busy,
}

impl OpenStream {
    pub(super) fn poll_next(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<Option<Vec<u8>>>> {
        match &mut self.reader {
            Some(reader) => reader.poll_next(context),
            None => Poll::Ready(Ok(None)),
        }
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        if let Some(stream) = lock(&self.connection.streams).get_mut(&self.session) {
            stream.reader = self.reader.take();
        }
    }
}

/// Marks a connection as used.
pub(super) struct Busy(Arc<HttpConnection>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.activity.send_modify(|activity| {
            activity.open = activity.open.saturating_sub(1);
            activity.last = Instant::now();
        });
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
