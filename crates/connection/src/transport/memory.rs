//! Frames between two connections in one process.

use super::{FrameSink, FrameSource, Frames, Incoming, Transport};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};

/// One end of a pair that carries frames between two connections in one process.
///
/// Each direction is a bounded queue. A sender waits while its queue is full, and a frame that is
/// longer than the whole queue passes alone. When one end is dropped, the connection of the other
/// end handles the frames that are left and then ends with
/// [`PeerClosed`](crate::ConnectionEnd::PeerClosed).
///
/// # Example
///
/// ```
/// use attache_connection::transport::MemoryTransport;
/// use attache_connection::{Agent, AgentHandler, Builder, Client, ClientHandler, Responder, Work};
/// use attache_protocol::method::Initialize;
/// use attache_protocol::v1::{InitializeRequest, InitializeResponse, ProtocolVersion};
///
/// struct Greeter;
/// impl Agent for Greeter {
///     fn initialize(&mut self, _: InitializeRequest, responder: Responder<Initialize>) -> Work {
///         responder.send(Ok(InitializeResponse::new(ProtocolVersion::V1)))
///     }
/// }
/// struct Quiet;
/// impl Client for Quiet {}
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let (here, there) = MemoryTransport::pair(64 * 1024);
/// let (_, agent) = Builder::new().connect_over(there, AgentHandler(Greeter));
/// let (peer, client) = Builder::new().connect_over(here, ClientHandler(Quiet));
/// let mut running = tokio::task::JoinSet::new();
/// running.spawn(agent.run());
/// running.spawn(client.run());
/// let reply = peer.call::<Initialize>(&InitializeRequest::new(ProtocolVersion::V1)).await?;
/// assert_eq!(reply.protocol_version, ProtocolVersion::V1);
/// # Ok::<(), attache_connection::CallError>(()) }).unwrap();
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct MemoryTransport {
    source: MemorySource,
    sink: MemorySink,
}

impl MemoryTransport {
    /// Returns two ends that are joined. Each direction queues at most `capacity` bytes, or one
    /// frame if that is longer, and the receiver holds as much again while it handles them.
    pub fn pair(capacity: usize) -> (Self, Self) {
        let (first, second) = (Channel::new(capacity), Channel::new(capacity));
        (Self::new(first.clone(), second.clone()), Self::new(second, first))
    }

    fn new(incoming: Arc<Channel>, outgoing: Arc<Channel>) -> Self {
        let (batch, limit, ended) = (Frames::new(), usize::MAX, false);
        Self {
            source: MemorySource { channel: incoming, batch, limit, ended },
            sink: MemorySink(outgoing),
        }
    }
}

impl Transport for MemoryTransport {
    fn open(mut self: Box<Self>, limit: usize) -> (Box<dyn FrameSource>, Box<dyn FrameSink>) {
        self.source.limit = limit;
        (Box::new(self.source), Box::new(self.sink))
    }
}

impl std::fmt::Debug for MemoryTransport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MemoryTransport")
            .field("capacity", &self.sink.0.capacity)
            .finish_non_exhaustive()
    }
}

/// One direction of a pair.
struct Channel {
    capacity: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    frames: Frames,
    /// The receiver that waits for a frame.
    receiver: Option<Waker>,
    /// The sender that waits for room.
    sender: Option<Waker>,
    receiver_gone: bool,
    sender_gone: bool,
}

impl Channel {
    fn new(capacity: usize) -> Arc<Self> {
        Arc::new(Self { capacity, state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has_room(&self, state: &State, frame: usize) -> bool {
        state.frames.is_empty() || state.frames.queued() + frame < self.capacity
    }

    /// Marks the end of the sender. The receiver still gets the queued frames.
    fn close(&self) {
        let receiver = {
            let mut state = self.state();
            state.sender_gone = true;
            state.receiver.take()
        };
        receiver.into_iter().for_each(Waker::wake);
    }
}

struct MemorySource {
    channel: Arc<Channel>,
    /// The frames that were taken from the channel together.
    batch: Frames,
    limit: usize,
    ended: bool,
}

impl FrameSource for MemorySource {
    fn poll_fill(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if !self.batch.is_empty() || self.ended {
            return Poll::Ready(());
        }
        // Without this, a sender on another thread could keep this task from yielding.
        let turn = ready!(tokio::task::coop::poll_proceed(context));
        let mut state = self.channel.state();
        if state.frames.is_empty() && !state.sender_gone {
            state.receiver = Some(context.waker().clone());
            return Poll::Pending;
        }
        turn.made_progress();
        self.ended = state.frames.is_empty();
        // The two buffers change places, so that both keep their memory.
        self.batch.clear();
        std::mem::swap(&mut self.batch, &mut state.frames);
        let sender = state.sender.take();
        drop(state);
        sender.into_iter().for_each(Waker::wake);
        Poll::Ready(())
    }

    fn next_frame(&mut self) -> Incoming<'_> {
        let (ended, limit) = (self.ended, self.limit);
        match self.batch.take() {
            Some(frame) if frame.len() > limit => Incoming::TooLong,
            Some(frame) => Incoming::Frame(frame),
            None if ended => Incoming::End,
            None => Incoming::More,
        }
    }
}

impl Drop for MemorySource {
    fn drop(&mut self) {
        let sender = {
            let mut state = self.channel.state();
            state.receiver_gone = true;
            state.frames = Frames::new();
            state.sender.take()
        };
        sender.into_iter().for_each(Waker::wake);
    }
}

struct MemorySink(Arc<Channel>);

impl FrameSink for MemorySink {
    fn poll_send(
        &mut self,
        context: &mut Context<'_>,
        frames: &mut Frames,
    ) -> Poll<io::Result<()>> {
        let mut state = self.0.state();
        if state.receiver_gone || state.sender_gone {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        let before = frames.queued();
        while let Some(frame) = frames.first()
            && self.0.has_room(&state, frame.len())
        {
            state.frames.push_unchanged(frame);
            frames.pop();
        }
        if frames.queued() == before {
            state.sender = Some(context.waker().clone());
            return Poll::Pending;
        }
        let receiver = state.receiver.take();
        drop(state);
        receiver.into_iter().for_each(Waker::wake);
        Poll::Ready(Ok(()))
    }

    fn poll_flush(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.close();
        Poll::Ready(Ok(()))
    }
}

impl Drop for MemorySink {
    fn drop(&mut self) {
        self.0.close();
    }
}
