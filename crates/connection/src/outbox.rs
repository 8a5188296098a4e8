//! What waits to be written: a bounded run of whole lines, and the one place that writes.
//!
//! Enqueueing is synchronous, keeps order and never waits. A line that finds everything written is
//! written by the thread that has it; lines that come in a burst are left to the driver, which
//! writes all that is ready at once. Whoever can wait asks for [`Outbox::room`] first, so the queue
//! stays near [`ROOM`] whatever the peer does.
//!
//! Two locks, taken in this order: the stream with what is being written, and the queue. Whoever
//! enqueues needs only the queue, so a long write holds up nobody.

use crate::{Direction, End, Tap, tap};
use std::io;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};
use tokio::io::AsyncWrite;
use tokio::sync::Notify;

/// Async senders wait while this many bytes are queued: a few pipes' worth, enough for full writes
/// and no more.
pub(crate) const ROOM: usize = 256 * 1024;

/// Above this many queued bytes, all of them our replies to a peer that asks without reading, we
/// stop reading.
pub(crate) const PAUSE: usize = 16 * 1024 * 1024;

/// A line that follows the last write sooner than this is part of a burst and left to the driver:
/// one system call for many lines.
const BURST: Duration = Duration::from_micros(20);

/// After a burst a buffer's memory is given back down to this.
const KEPT: usize = 2 * ROOM;

pub(crate) struct Outbox {
    stream: Mutex<Stream>,
    queue: Mutex<Queue>,
    room: Notify,
    tap: Option<Tap>,
}

struct Stream {
    /// `None` once closed: a pipe's other end learns of it only when its last holder lets go.
    sink: Option<Pin<Box<dyn AsyncWrite + Send>>>,
    writing: Vec<u8>,
    /// How much of `writing` is written already.
    written: usize,
    last_write: Instant,
    /// Since when the peer has taken nothing of what waits.
    stuck_since: Option<Instant>,
}

struct Queue {
    lines: Vec<u8>,
    /// How many bytes were taken out of `lines` and are not written yet.
    in_flight: usize,
    driver: Option<Waker>,
    /// The driver is dispatching lines and will write when it is done.
    dispatching: bool,
    /// Somebody waits for room.
    room_wanted: bool,
    end: Option<End>,
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

    /// Appends what `line` writes, one or more whole lines, unless the connection is over.
    pub(crate) fn enqueue(&self, line: impl FnOnce(&mut Vec<u8>)) -> Result<(), End> {
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
        // Behind other bytes, or while the driver dispatches, somebody is about to write already.
        let left_to_the_driver = queue.dispatching || !idle;
        drop(queue);
        if !left_to_the_driver && !self.written_in_place() {
            let driver = self.queue().driver.take();
            driver.into_iter().for_each(Waker::wake);
        }
        Ok(())
    }

    /// Waits until less than [`ROOM`] is queued, or the connection is over.
    pub(crate) async fn room(&self) -> Result<(), End> {
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

    /// Writes what is queued; ready when nothing is left or the transport failed. Only the driver
    /// calls this.
    pub(crate) fn poll_write(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        {
            let mut queue = self.queue();
            queue.dispatching = false;
            // Before the queue is looked at, so that a line that comes too late for this look wakes
            // the driver.
            queue.driver = Some(context.waker().clone());
        }
        self.write(&mut self.stream(), context)
    }

    /// The driver is about to dispatch lines: replies wait until its next [`Outbox::poll_write`].
    pub(crate) fn dispatching(&self) {
        self.queue().dispatching = true;
    }

    /// How many bytes wait.
    pub(crate) fn queued(&self) -> usize {
        self.queue().queued()
    }

    /// Since when the peer has taken no byte although some wait.
    pub(crate) fn stuck_since(&self) -> Option<Instant> {
        self.stream().stuck_since
    }

    /// Nothing is accepted from now on; who waits for room learns why. What is queued may still be
    /// written.
    pub(crate) fn end(&self, end: &End) {
        self.queue().end.get_or_insert_with(|| end.clone());
        self.room.notify_waiters();
    }

    /// Closes the peer's input.
    pub(crate) fn poll_close(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut stream = self.stream();
        let Some(sink) = &mut stream.sink else { return Poll::Ready(()) };
        // A stream that cannot be shut down properly is closed all the same.
        let _ = std::task::ready!(sink.as_mut().poll_shutdown(context));
        stream.sink = None;
        Poll::Ready(())
    }

    /// Closes the peer's input without waiting for the stream's own farewell.
    pub(crate) fn close(&self) {
        self.stream().sink = None;
    }

    /// Writes on the thread that has the line, if nobody else is writing and it is no burst. An
    /// error is the driver's to report: it meets the same one.
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
                    // The stream has accepted bytes that the peer has not taken.
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

    /// Takes over all that is queued; false if that is nothing.
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
        // Half empty, not one byte below the limit: a woken sender should have room for more than
        // one line.
        let room = queue.room_wanted && queue.queued() <= ROOM / 2;
        queue.room_wanted &= !room;
        drop(queue);
        if room {
            self.room.notify_waiters();
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        // A panic inside `line` leaves at worst a truncated line, and the queue itself whole.
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
