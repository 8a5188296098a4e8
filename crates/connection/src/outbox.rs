//! The outbound queue of a connection: a bounded queue of whole lines, and the only code that
//! writes.
//!
//! Enqueueing is synchronous, keeps the order and never waits. If everything before a line has been
//! written, the thread that enqueues the line also writes it. The driver writes the lines of a
//! burst together. Callers that can wait use [`Outbox::room`] first, so the queue holds little more
//! than [`ROOM`] bytes, whatever the peer does.
//!
//! There are two locks, always taken in this order: one for the stream and the bytes being written,
//! and one for the queue. Enqueueing needs only the queue, so a long write blocks no caller.

use crate::{ConnectionEnd, Direction, Tap, tap};
use std::io;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};
use tokio::io::AsyncWrite;
use tokio::sync::Notify;

/// Async senders wait while at least this many bytes are queued, which is enough to fill each
/// write.
pub(crate) const ROOM: usize = 256 * 1024;

/// The connection stops reading while more than this many bytes are queued. This happens if a peer
/// sends calls without reading the replies.
pub(crate) const PAUSE: usize = 16 * 1024 * 1024;

/// A line that follows the last write within this time belongs to a burst. The driver writes such
/// lines together, with one system call for many of them.
const BURST: Duration = Duration::from_micros(20);

/// After a burst, each buffer shrinks to this many bytes.
const KEPT: usize = 2 * ROOM;

pub(crate) struct Outbox {
    stream: Mutex<Stream>,
    queue: Mutex<Queue>,
    room: Notify,
    tap: Option<Tap>,
}

struct Stream {
    /// `None` once the stream is closed. The reader of a pipe sees the end of the stream only when
    /// the last owner drops the writing end.
    sink: Option<Pin<Box<dyn AsyncWrite + Send>>>,
    writing: Vec<u8>,
    /// How many bytes of `writing` have been written.
    written: usize,
    last_write: Instant,
    /// Since when the peer has not read any of the queued bytes.
    stuck_since: Option<Instant>,
}

struct Queue {
    lines: Vec<u8>,
    /// How many bytes were taken from `lines` but are not written yet.
    in_flight: usize,
    driver: Option<Waker>,
    /// Whether the driver is dispatching lines. Afterwards, it writes the queue.
    dispatching: bool,
    /// Whether a sender waits for room.
    room_wanted: bool,
    end: Option<ConnectionEnd>,
}

impl Outbox {
    pub(crate) fn new(sink: Pin<Box<dyn AsyncWrite + Send>>, tap: Option<Tap>) -> Self {
        let last_write = Instant::now().checked_sub(BURST).unwrap_or_else(Instant::now);
        let stream = Stream {
            sink: Some(sink),
            writing: Vec::new(),
            written: 0,
            last_write,
            stuck_since: None,
        };
        let queue = Queue {
            lines: Vec::new(),
            in_flight: 0,
            driver: None,
            dispatching: false,
            room_wanted: false,
            end: None,
        };
        Self { stream: Mutex::new(stream), queue: Mutex::new(queue), room: Notify::new(), tap }
    }

    /// Appends one or more whole lines, unless the connection has ended.
    pub(crate) fn enqueue(&self, line: impl FnOnce(&mut Vec<u8>)) -> Result<(), ConnectionEnd> {
        let mut queue = self.queue();
        if let Some(end) = &queue.end {
            return Err(end.clone());
        }
        let start = queue.lines.len();
        let idle = queue.queued() == 0;
        line(&mut queue.lines);
        if let (Some(tap), Some(bytes)) = (&self.tap, queue.lines.get(start..)) {
            bytes
                .split_inclusive(|byte| *byte == b'\n')
                .for_each(|line| tap::show(tap, Direction::Sent, line.trim_ascii_end()));
        }
        // If other bytes are queued before this line, or if the driver is dispatching, another
        // write is about to happen.
        let left_to_the_driver = queue.dispatching || !idle;
        drop(queue);
        if !left_to_the_driver && !self.written_in_place() {
            let driver = self.queue().driver.take();
            driver.into_iter().for_each(Waker::wake);
        }
        Ok(())
    }

    /// Waits until fewer than [`ROOM`] bytes are queued or the connection ends.
    pub(crate) async fn room(&self) -> Result<(), ConnectionEnd> {
        loop {
            let notified = self.room.notified();
            {
                let mut queue = self.queue();
                match &queue.end {
                    Some(end) => return Err(end.clone()),
                    None if queue.queued() < ROOM => return Ok(()),
                    None => queue.room_wanted = true,
                }
            }
            notified.await;
        }
    }

    /// Writes the queue. Ready when the queue is empty or the transport has failed. Only the driver
    /// calls this.
    pub(crate) fn poll_write(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        {
            let mut queue = self.queue();
            queue.dispatching = false;
            // Set this before checking the queue, so that a line that is added after the check
            // wakes the driver.
            queue.driver = Some(context.waker().clone());
        }
        self.write(&mut self.stream(), context)
    }

    /// Records that the driver is about to dispatch lines. Replies wait until its next
    /// [`Outbox::poll_write`].
    pub(crate) fn dispatching(&self) {
        self.queue().dispatching = true;
    }

    /// How many bytes are queued.
    pub(crate) fn queued(&self) -> usize {
        self.queue().queued()
    }

    /// Since when the peer has read nothing, although bytes are queued.
    pub(crate) fn stuck_since(&self) -> Option<Instant> {
        self.stream().stuck_since
    }

    /// Refuses further lines. Callers that wait for room get the reason. Queued lines may still be
    /// written.
    pub(crate) fn end(&self, end: &ConnectionEnd) {
        self.queue().end.get_or_insert_with(|| end.clone());
        self.room.notify_waiters();
    }

    /// Closes the peer's input.
    pub(crate) fn poll_close(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut stream = self.stream();
        let Some(sink) = &mut stream.sink else { return Poll::Ready(()) };
        // A stream that cannot be shut down properly is closed anyway.
        let _ = std::task::ready!(sink.as_mut().poll_shutdown(context));
        stream.sink = None;
        Poll::Ready(())
    }

    /// Closes the peer's input without shutting down the stream.
    pub(crate) fn close(&self) {
        self.stream().sink = None;
    }

    /// Writes on the calling thread, unless another thread is writing or the line belongs to a
    /// burst. Errors are ignored here, because the driver gets the same error and reports it.
    fn written_in_place(&self) -> bool {
        let mut stream = match self.stream.try_lock() {
            Ok(stream) => stream,
            Err(TryLockError::Poisoned(stream)) => stream.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        stream.last_write.elapsed() >= BURST
            && matches!(
                self.write(&mut stream, &mut Context::from_waker(Waker::noop())),
                Poll::Ready(Ok(()))
            )
    }

    fn write(&self, stream: &mut Stream, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Some(mut sink) = stream.sink.take() else {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        };
        let mut wrote = false;
        let outcome = loop {
            if stream.written == stream.writing.len() && !self.take_queued(stream) {
                if wrote {
                    stream.last_write = Instant::now();
                }
                let flushed = sink.as_mut().poll_flush(context);
                match flushed {
                    // A pending flush means that the stream holds bytes that the peer has not read.
                    Poll::Pending => drop(stream.stuck_since.get_or_insert_with(Instant::now)),
                    Poll::Ready(_) => stream.stuck_since = None,
                }
                break flushed;
            }
            let waiting = stream.writing.get(stream.written..).unwrap_or_default();
            match sink.as_mut().poll_write(context, waiting) {
                Poll::Ready(Ok(0)) => break Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Poll::Ready(Ok(count)) => {
                    stream.written += count;
                    stream.stuck_since = None;
                    wrote = true;
                    self.wrote(count);
                }
                Poll::Ready(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Poll::Ready(Err(error)) => break Poll::Ready(Err(error)),
                Poll::Pending => {
                    stream.stuck_since.get_or_insert_with(Instant::now);
                    break Poll::Pending;
                }
            }
        };
        stream.sink = Some(sink);
        outcome
    }

    /// Takes over all queued lines. Returns false if there are none.
    fn take_queued(&self, stream: &mut Stream) -> bool {
        stream.writing.clear();
        stream.writing.shrink_to(KEPT);
        stream.written = 0;
        let mut queue = self.queue();
        std::mem::swap(&mut queue.lines, &mut stream.writing);
        queue.in_flight = stream.writing.len();
        queue.in_flight > 0
    }

    fn wrote(&self, count: usize) {
        let mut queue = self.queue();
        queue.in_flight = queue.in_flight.saturating_sub(count);
        // Senders are woken when the queue is half empty, not one byte below the limit, so that
        // they have room for several lines.
        let room = queue.room_wanted && queue.queued() <= ROOM / 2;
        queue.room_wanted &= !room;
        drop(queue);
        if room {
            self.room.notify_waiters();
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        // A panic inside `line` can leave a truncated line, but the queue itself stays valid.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stream(&self) -> MutexGuard<'_, Stream> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    fn queued(&self) -> usize {
        self.lines.len() + self.in_flight
    }
}

impl std::fmt::Debug for Outbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outbox").field("queued", &self.queued()).finish_non_exhaustive()
    }
}
