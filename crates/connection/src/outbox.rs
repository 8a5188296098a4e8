//! The outbound queue of a connection: a bounded queue of whole frames, and the only code that
//! sends.
//!
//! Enqueueing is synchronous, keeps the order and never waits. If everything before a frame has
//! been written, the thread that enqueues the frame also writes it. The driver writes the frames of
//! a burst together. Callers that can wait use [`Outbox::room`] first, so the queue holds little
//! more than [`ROOM`] bytes, whatever the peer does.
//!
//! There are two locks, always taken in this order: one for the sink and the frames being written,
//! and one for the queue. Enqueueing needs only the queue, so a long write blocks no caller.

use crate::transport::{FrameSink, Frames};
use crate::{ConnectionEnd, Direction, Tap, tap};
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// Async senders wait while at least this many bytes are queued, which is enough to fill each
/// write.
pub(crate) const ROOM: usize = 256 * 1024;

/// The connection stops reading while more than this many bytes are queued. This happens if a peer
/// sends calls without reading the replies.
pub(crate) const PAUSE: usize = 16 * 1024 * 1024;

/// A frame that follows the last write within this time belongs to a burst. The driver writes such
/// frames together, with one system call for many of them.
const BURST: Duration = Duration::from_micros(20);

pub(crate) struct Outbox {
    sending: Mutex<Sending>,
    queue: Mutex<Queue>,
    room: Notify,
    tap: Option<Tap>,
}

struct Sending {
    /// `None` once the sink is closed. The reader of a pipe sees the end of the stream only when
    /// the last owner drops the writing end.
    sink: Option<Box<dyn FrameSink>>,
    /// The frames that are being written.
    frames: Frames,
    last_write: Instant,
    /// Since when the peer has not read any of the queued bytes.
    stuck_since: Option<tokio::time::Instant>,
}

struct Queue {
    frames: Frames,
    /// How many bytes were taken from `frames` but are not written yet.
    in_flight: usize,
    driver: Option<Waker>,
    /// Whether the driver is dispatching frames. Afterwards, it writes the queue.
    dispatching: bool,
    /// Whether a sender waits for room.
    room_wanted: bool,
    end: Option<ConnectionEnd>,
}

impl Outbox {
    pub(crate) fn new(sink: Box<dyn FrameSink>, tap: Option<Tap>) -> Self {
        let last_write = Instant::now().checked_sub(BURST).unwrap_or_else(Instant::now);
        let sending =
            Sending { sink: Some(sink), frames: Frames::new(), last_write, stuck_since: None };
        let queue = Queue {
            frames: Frames::new(),
            in_flight: 0,
            driver: None,
            dispatching: false,
            room_wanted: false,
            end: None,
        };
        Self { sending: Mutex::new(sending), queue: Mutex::new(queue), room: Notify::new(), tap }
    }

    /// Appends the frame that `message` writes, unless the connection has ended.
    pub(crate) fn enqueue(&self, message: impl FnOnce(&mut Vec<u8>)) -> Result<(), ConnectionEnd> {
        self.add(|frames| frames.encode(message))
    }

    /// Appends a frame that is already encoded, unless the connection has ended.
    pub(crate) fn enqueue_encoded(&self, frame: &[u8]) -> Result<(), ConnectionEnd> {
        self.add(|frames| frames.push(frame))
    }

    fn add(&self, add: impl FnOnce(&mut Frames)) -> Result<(), ConnectionEnd> {
        let mut queue = self.queue();
        if let Some(end) = &queue.end {
            return Err(end.clone());
        }
        let idle = queue.queued() == 0;
        let before = queue.frames.added();
        add(&mut queue.frames);
        if let Some(tap) = &self.tap
            && queue.frames.added() > before
            && let Some(frame) = queue.frames.last()
        {
            tap::show(tap, Direction::Sent, frame);
        }
        // If other bytes are queued before this frame, or if the driver is dispatching, another
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
            // Set this before checking the queue, so that a frame that is added after the check
            // wakes the driver.
            queue.driver = Some(context.waker().clone());
        }
        self.write(&mut self.sending(), context)
    }

    /// Records that the driver is about to dispatch frames. Replies wait until its next
    /// [`Outbox::poll_write`].
    pub(crate) fn dispatching(&self) {
        self.queue().dispatching = true;
    }

    /// How many bytes are queued.
    pub(crate) fn queued(&self) -> usize {
        self.queue().queued()
    }

    /// Since when the peer has read nothing, although bytes are queued.
    pub(crate) fn stuck_since(&self) -> Option<tokio::time::Instant> {
        self.sending().stuck_since
    }

    /// Refuses further frames. Callers that wait for room get the reason. Queued frames may still
    /// be written.
    pub(crate) fn end(&self, end: &ConnectionEnd) {
        self.queue().end.get_or_insert_with(|| end.clone());
        self.room.notify_waiters();
    }

    /// Closes the peer's input.
    pub(crate) fn poll_close(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut sending = self.sending();
        let Some(sink) = &mut sending.sink else { return Poll::Ready(()) };
        // A sink that cannot be closed properly is dropped anyway.
        let _ = std::task::ready!(sink.poll_close(context));
        sending.sink = None;
        Poll::Ready(())
    }

    /// Closes the peer's input at once.
    pub(crate) fn close(&self) {
        self.sending().sink = None;
    }

    /// Writes on the calling thread, unless another thread is writing or the frame belongs to a
    /// burst. Errors are ignored here, because the driver gets the same error and reports it.
    fn written_in_place(&self) -> bool {
        let mut sending = match self.sending.try_lock() {
            Ok(sending) => sending,
            Err(TryLockError::Poisoned(sending)) => sending.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        sending.last_write.elapsed() >= BURST
            && matches!(
                self.write(&mut sending, &mut Context::from_waker(Waker::noop())),
                Poll::Ready(Ok(()))
            )
    }

    fn write(&self, sending: &mut Sending, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Some(mut sink) = sending.sink.take() else {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        };
        let outcome = self.write_to(sink.as_mut(), sending, context);
        sending.sink = Some(sink);
        outcome
    }

    fn write_to(
        &self,
        sink: &mut dyn FrameSink,
        sending: &mut Sending,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        let mut wrote = false;
        while !sending.frames.is_empty() || self.take_queued(sending) {
            let before = sending.frames.queued();
            let outcome = sink.poll_send(context, &mut sending.frames);
            let count = before - sending.frames.queued();
            if count > 0 {
                sending.stuck_since = None;
                wrote = true;
                self.wrote(count);
            }
            match outcome {
                // A transport that never sends anything would keep this loop busy.
                Poll::Ready(Ok(())) if count == 0 => {
                    return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
                }
                Poll::Ready(Ok(())) => {}
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => {
                    sending.stuck();
                    return Poll::Pending;
                }
            }
        }
        if wrote {
            sending.last_write = Instant::now();
        }
        let flushed = sink.poll_flush(context);
        match flushed {
            // A pending flush means that the transport holds bytes that the peer has not read.
            Poll::Pending => sending.stuck(),
            Poll::Ready(_) => sending.stuck_since = None,
        }
        flushed
    }

    /// Takes over all queued frames. Returns false if there are none.
    fn take_queued(&self, sending: &mut Sending) -> bool {
        sending.frames.clear();
        let mut queue = self.queue();
        std::mem::swap(&mut queue.frames, &mut sending.frames);
        queue.in_flight = sending.frames.queued();
        queue.in_flight > 0
    }

    fn wrote(&self, count: usize) {
        let mut queue = self.queue();
        queue.in_flight = queue.in_flight.saturating_sub(count);
        // Senders are woken when the queue is half empty, not one byte below the limit, so that
        // they have room for several frames.
        let room = queue.room_wanted && queue.queued() <= ROOM / 2;
        queue.room_wanted &= !room;
        drop(queue);
        if room {
            self.room.notify_waiters();
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        // A panic while a message is encoded leaves the queue valid: see `Frames::encode`.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sending(&self) -> MutexGuard<'_, Sending> {
        self.sending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sending {
    /// Records that the peer does not read.
    fn stuck(&mut self) {
        self.stuck_since.get_or_insert_with(tokio::time::Instant::now);
    }
}

impl Queue {
    fn queued(&self) -> usize {
        self.frames.queued() + self.in_flight
    }
}

impl std::fmt::Debug for Outbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outbox").field("queued", &self.queued()).finish_non_exhaustive()
    }
}
