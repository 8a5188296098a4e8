//! What waits to be written: a bounded run of whole lines, and the one place that writes.
//!
//! Enqueueing is synchronous, keeps order and never waits. A line that finds the queue idle is written by the thread that has it; lines
//! that come in a burst are left to the driver, which writes all that is ready at once. Whoever can wait asks for [`Outbox::room`]
//! first, so the queue stays near [`ROOM`] whatever the peer does.

use crate::{Direction, End, Tap};
use std::io;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};
use tokio::io::AsyncWrite;
use tokio::sync::Notify;

/// Async senders wait while this many bytes are queued: a few pipes' worth, enough for full writes and no more.
pub(crate) const ROOM: usize = 256 * 1024;

/// Above this many queued bytes, all of them our replies to a peer that asks without reading, we stop reading.
pub(crate) const PAUSE: usize = 16 * 1024 * 1024;

/// A line that follows the last write sooner than this is part of a burst and left to the driver: one system call for many lines.
const BURST: Duration = Duration::from_micros(20);

/// After a burst the queue's memory is given back down to this.
const KEPT: usize = 2 * ROOM;

pub(crate) struct Outbox {
    state: Mutex<State>,
    room: Notify,
    tap: Option<Tap>,
}

struct State {
    /// `None` once closed: a pipe's other end learns of it only when its last holder lets go.
    sink: Option<Pin<Box<dyn AsyncWrite + Send>>>,
    queue: Vec<u8>,
    /// How much of `queue` is written already.
    written: usize,
    last_write: Instant,
    /// Since when the peer has taken nothing of what is queued.
    stuck_since: Option<Instant>,
    driver: Option<Waker>,
    /// The driver is dispatching lines and will write when it is done.
    dispatching: bool,
    end: Option<End>,
}

impl Outbox {
    pub(crate) fn new(sink: Pin<Box<dyn AsyncWrite + Send>>, tap: Option<Tap>) -> Self {
        let state = State {
            sink: Some(sink),
            queue: Vec::new(),
            written: 0,
            last_write: Instant::now().checked_sub(BURST).unwrap_or_else(Instant::now),
            stuck_since: None,
            driver: None,
            dispatching: false,
            end: None,
        };
        Self { state: Mutex::new(state), room: Notify::new(), tap }
    }

    /// Appends what `line` writes, one or more whole lines, unless the connection is over.
    pub(crate) fn enqueue(&self, line: impl FnOnce(&mut Vec<u8>)) -> Result<(), End> {
        let mut state = self.lock();
        if let Some(end) = &state.end {
            return Err(end.clone());
        }
        let start = state.queue.len();
        let idle = start == state.written;
        line(&mut state.queue);
        if let (Some(tap), Some(bytes)) = (&self.tap, state.queue.get(start..)) {
            bytes
                .split_inclusive(|byte| *byte == b'\n')
                .for_each(|line| tap(Direction::Sent, line.trim_ascii_end()));
        }
        if state.dispatching || !idle {
            return Ok(());
        }
        // An error is the driver's to report: it meets the same one.
        let written = state.last_write.elapsed() >= BURST
            && matches!(state.write(&mut Context::from_waker(Waker::noop())), Poll::Ready(Ok(())));
        let driver = if written { None } else { state.driver.take() };
        drop(state);
        if let Some(driver) = driver {
            driver.wake();
        }
        Ok(())
    }

    /// Waits until less than [`ROOM`] is queued, or the connection is over.
    pub(crate) async fn room(&self) -> Result<(), End> {
        loop {
            let notified = self.room.notified();
            {
                let state = self.lock();
                match &state.end {
                    Some(end) => return Err(end.clone()),
                    None if state.queued() < ROOM => return Ok(()),
                    None => {}
                }
            }
            notified.await;
        }
    }

    /// Writes what is queued; ready when nothing is left or the transport failed. Only the driver calls this.
    pub(crate) fn poll_write(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut state = self.lock();
        state.dispatching = false;
        state.driver = Some(context.waker().clone());
        let outcome = state.write(context);
        // Half empty, not one byte below the limit: a woken sender should have work for more than one line.
        let room = state.queued() <= ROOM / 2;
        drop(state);
        if room {
            self.room.notify_waiters();
        }
        outcome
    }

    /// The driver is about to dispatch lines: replies wait until its next [`Outbox::poll_write`].
    pub(crate) fn dispatching(&self) {
        self.lock().dispatching = true;
    }

    /// How many bytes wait.
    pub(crate) fn queued(&self) -> usize {
        self.lock().queued()
    }

    /// Since when the peer has taken no byte although some wait.
    pub(crate) fn stuck_since(&self) -> Option<Instant> {
        self.lock().stuck_since
    }

    /// Nothing is accepted from now on; who waits for room learns why. What is queued may still be written.
    pub(crate) fn end(&self, end: &End) {
        self.lock().end.get_or_insert_with(|| end.clone());
        self.room.notify_waiters();
    }

    /// Closes the peer's input.
    pub(crate) fn poll_close(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.lock();
        let Some(sink) = &mut state.sink else { return Poll::Ready(()) };
        // A stream that cannot be shut down properly is closed all the same.
        let _ = std::task::ready!(sink.as_mut().poll_shutdown(context));
        state.sink = None;
        Poll::Ready(())
    }

    /// Closes the peer's input without waiting for the stream's own farewell.
    pub(crate) fn close(&self) {
        self.lock().sink = None;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic inside `line` leaves at worst a truncated line, and the state itself whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn queued(&self) -> usize {
        self.queue.len() - self.written
    }

    fn write(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Some(sink) = &mut self.sink else { return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())) };
        while let Some(waiting) = self.queue.get(self.written..).filter(|waiting| !waiting.is_empty()) {
            match sink.as_mut().poll_write(context, waiting) {
                Poll::Ready(Ok(0)) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Poll::Ready(Ok(count)) => {
                    self.written += count;
                    self.stuck_since = None;
                }
                Poll::Ready(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => {
                    self.stuck_since.get_or_insert_with(Instant::now);
                    self.forget_written();
                    return Poll::Pending;
                }
            }
        }
        let flushed = sink.as_mut().poll_flush(context);
        if self.written > 0 {
            self.last_write = Instant::now();
            self.forget_written();
        }
        flushed
    }

    /// Frees what is written, seldom enough that the moves cost little.
    fn forget_written(&mut self) {
        if self.written == self.queue.len() {
            self.queue.clear();
            self.queue.shrink_to(KEPT);
            self.written = 0;
        } else if self.written >= ROOM {
            self.queue.drain(..self.written);
            self.written = 0;
        }
    }
}

impl std::fmt::Debug for Outbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outbox").field("queued", &self.queued()).finish_non_exhaustive()
    }
}
