//! The future that drives a connection.

use crate::dispatch::{dispatch, recognize, report};
use crate::limits::Limits;
use crate::outbox::{Outbox, PAUSE};
use crate::trace::{self, Trace};
use crate::transport::{FrameSource, Incoming, LineTransport, Transport};
use crate::{ConnectionEnd, Handler, Peer, Tap, Unhandled, Work};
use std::future::Future;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinSet;
use tokio::time::Sleep;
use tracing::Instrument as _;

/// How long to keep reading from a peer that no longer reads.
const LAST_WORDS: Duration = Duration::from_millis(250);

/// Finds out why the peer is gone, for example its exit status and the last lines of its stderr.
/// When the stream ends, the connection awaits this future for at most half a second.
pub type ExitProbe = Pin<Box<dyn Future<Output = String> + Send>>;

/// Builds a connection.
pub struct Builder {
    limits: Limits,
    tap: Option<Tap>,
    exit_probe: Option<ExitProbe>,
}

impl std::fmt::Debug for Builder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Builder").field("tapped", &self.tap.is_some()).finish_non_exhaustive()
    }
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

impl Builder {
    /// Returns a builder with the default limits.
    pub fn new() -> Self {
        Self { limits: Limits::default(), tap: None, exit_probe: None }
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Passes every frame to `tap`.
    #[must_use]
    pub fn tap(mut self, tap: Tap) -> Self {
        self.tap = Some(tap);
        self
    }

    /// When the peer closes the connection, uses `exit_probe` to find out why.
    #[must_use]
    pub fn exit_probe(mut self, exit_probe: impl Future<Output = String> + Send + 'static) -> Self {
        self.exit_probe = Some(Box::pin(exit_probe));
        self
    }

    /// Connects over a pair of byte streams, one message in each line. Otherwise like
    /// [`Builder::connect_over`].
    pub fn connect<H: Handler>(
        self,
        input: impl AsyncRead + Send + 'static,
        output: impl AsyncWrite + Send + 'static,
        handler: H,
    ) -> (Peer, Connection<H>) {
        self.connect_over(LineTransport::new(input, output), handler)
    }

    /// Connects over a transport. Returns the peer's handle and the connection. The connection
    /// reads and serves nothing until [`Connection::run`] is polled.
    pub fn connect_over<H: Handler>(
        self,
        transport: impl Transport + 'static,
        handler: H,
    ) -> (Peer, Connection<H>) {
        let (source, sink) = Box::new(transport).open(self.limits.frame);
        let outbox = Outbox::new(sink, self.tap.clone());
        let peer = Peer::new(outbox, Trace::new(H::SIDE));
        let connection = Connection {
            peer: peer.clone(),
            handler,
            source,
            works: JoinSet::new(),
            accepted: Vec::new(),
            limits: self.limits,
            tap: self.tap,
            exit_probe: self.exit_probe,
            stall: None,
            not_reading: None,
        };
        (peer, connection)
    }
}

/// A connection. It reads, dispatches and writes, and owns the work that the peer's calls started.
#[must_use = "a connection does nothing until it is run"]
pub struct Connection<H> {
    peer: Peer,
    handler: H,
    source: Box<dyn FrameSource>,
    works: JoinSet<()>,
    /// Work that starts once all frames that arrived together have been dispatched. A cancel
    /// request right after a call therefore takes effect before the call's work starts.
    accepted: Vec<Pin<Box<dyn Future<Output = ()> + Send>>>,
    limits: Limits,
    tap: Option<Tap>,
    exit_probe: Option<ExitProbe>,
    stall: Option<Pin<Box<Sleep>>>,
    not_reading: Option<(ConnectionEnd, Pin<Box<Sleep>>)>,
}

impl<H> std::fmt::Debug for Connection<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection")
            .field("peer", &self.peer)
            .field("works", &self.works.len())
            .finish_non_exhaustive()
    }
}

impl<H: Handler> Connection<H> {
    /// Runs the connection and returns why it ended. Dropping this future ends the connection:
    /// open calls fail at once. The connection's task, with the running work and the transport,
    /// ends a moment later, when the runtime next polls it.
    ///
    /// The connection runs in a task of its own. With a multi-threaded runtime, the main function
    /// runs on a thread that receives no I/O events, and each frame would have to wake that thread.
    pub async fn run(self) -> ConnectionEnd {
        let peer = self.peer.clone();
        let _over = FinishOnDrop(peer.clone());
        // The same type as that of other work, so that the code of a task is compiled only once.
        let driven: Pin<Box<dyn Future<Output = ()> + Send>> =
            Box::pin(async move { drop(self.drive().await) });
        let mut task = JoinSet::new();
        task.spawn(driven.instrument(peer.span().clone()));
        match task.join_next().await {
            Some(Err(error)) if error.is_panic() => resume_unwind(error.into_panic()),
            // There is no reason only if the runtime is shutting down.
            _ => peer.end().unwrap_or(ConnectionEnd::Closed),
        }
    }

    async fn drive(mut self) -> ConnectionEnd {
        trace::started();
        let _over = FinishOnDrop(self.peer.clone());
        let mut closing = self.peer.0.closing.subscribe();
        let end = {
            let mut closed = std::pin::pin!(closing.wait_for(|closing| *closing));
            std::future::poll_fn(|context| self.poll(context, closed.as_mut())).await
        };
        self.finish(end).await
    }

    /// Runs the loop. Each round writes the queue, removes finished work, obeys a request to close
    /// even if the peer keeps sending, and only then reads the peer's frames.
    fn poll<C: Future>(
        &mut self,
        context: &mut Context<'_>,
        mut closed: Pin<&mut C>,
    ) -> Poll<ConnectionEnd> {
        loop {
            if let Some(end) = self.poll_writes(context) {
                return Poll::Ready(end);
            }
            if let Some(end) = self.poll_stall(context) {
                return Poll::Ready(end);
            }
            self.reap(context);
            if closed.as_mut().poll(context).is_ready() {
                return Poll::Ready(ConnectionEnd::Closed);
            }
            if self.not_reading.is_none() && self.peer.0.outbox.queued() > PAUSE {
                return Poll::Pending;
            }
            if let Some(end) = ready!(self.poll_frames(context)) {
                return Poll::Ready(end);
            }
        }
    }

    /// Writes the queue. If the peer no longer reads, the connection keeps reading for a moment: a
    /// peer that exits has usually sent the reason, and its last frames may still be in the pipe.
    fn poll_writes(&mut self, context: &mut Context<'_>) -> Option<ConnectionEnd> {
        if self.not_reading.is_none()
            && let Poll::Ready(Err(error)) = self.peer.0.outbox.poll_write(context)
        {
            self.not_reading =
                Some((write_failed(error), Box::pin(tokio::time::sleep(LAST_WORDS))));
        }
        let (end, patience) = self.not_reading.as_mut()?;
        patience.as_mut().poll(context).is_ready().then(|| end.clone())
    }

    /// Dispatches every frame that has arrived. Returns `Some` at the end of the connection.
    fn poll_frames(&mut self, context: &mut Context<'_>) -> Poll<Option<ConnectionEnd>> {
        ready!(self.source.poll_fill(context));
        self.peer.0.outbox.dispatching();
        let dispatched = self.dispatch_frames(context);
        catch_panic(|| self.handler.flush());
        for work in self.accepted.drain(..) {
            self.works.spawn(work.instrument(self.peer.span().clone()));
        }
        dispatched
    }

    /// Removes work that has ended.
    fn reap(&mut self, context: &mut Context<'_>) {
        while let Poll::Ready(Some(outcome)) = self.works.poll_join_next(context) {
            if outcome.is_err_and(|error| error.is_panic()) {
                trace::work_panicked();
            }
        }
    }

    fn dispatch_frames(&mut self, context: &mut Context<'_>) -> Poll<Option<ConnectionEnd>> {
        loop {
            if catch_panic(|| self.handler.poll_ready(context))
                .is_some_and(|ready| ready.is_pending())
            {
                // Replies are written even while this side is not ready to read. If this write
                // fails, the next round reports the failure.
                let _ = self.peer.0.outbox.poll_write(context);
                return Poll::Pending;
            }
            match self.source.next_frame() {
                Incoming::Frame(frame) => {
                    let open = self.works.len() + self.accepted.len();
                    let Self { peer, handler, limits, tap, .. } = self;
                    let work = take_frame(peer, handler, open, limits, tap.as_ref(), frame);
                    if work.is_none() {
                        catch_panic(|| report(handler, Unhandled::HandlerPanicked(frame)));
                    }
                    self.accepted.extend(start(work.flatten()));
                }
                Incoming::More => return Poll::Ready(None),
                Incoming::TooLong => {
                    return Poll::Ready(Some(ConnectionEnd::FrameTooLong {
                        limit: self.limits.frame,
                    }));
                }
                Incoming::Failed(error) => {
                    return Poll::Ready(Some(ConnectionEnd::Transport(Arc::new(error))));
                }
                Incoming::End => {
                    return Poll::Ready(Some(ConnectionEnd::PeerClosed { detail: None }));
                }
            }
        }
    }

    /// Ends the connection if the peer reads nothing for too long. The timer exists only while
    /// bytes are queued, so an idle connection never wakes.
    fn poll_stall(&mut self, context: &mut Context<'_>) -> Option<ConnectionEnd> {
        let Some(since) = self.peer.0.outbox.stuck_since().filter(|_| self.not_reading.is_none())
        else {
            self.stall = None;
            return None;
        };
        let deadline = since + self.limits.stall;
        let stall = self.stall.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline)));
        if stall.deadline() != deadline {
            stall.as_mut().reset(deadline);
        }
        stall
            .as_mut()
            .poll(context)
            .is_ready()
            .then_some(ConnectionEnd::StoppedReading { after: self.limits.stall })
    }

    /// Ends the connection step by step. This side's open calls fail at once with the cause.
    /// Running work then gets time to finish and to send its last frames. Work that is still
    /// running is cancelled, and finally aborted.
    async fn finish(mut self, mut end: ConnectionEnd) -> ConnectionEnd {
        if let (ConnectionEnd::PeerClosed { .. } | ConnectionEnd::Transport(_), Some(exit_probe)) =
            (&end, self.exit_probe.take())
            && let Ok(found) = tokio::time::timeout(Duration::from_millis(500), exit_probe).await
        {
            end = ConnectionEnd::PeerClosed { detail: Some(found.into()) };
        }
        trace::ended(&end);
        catch_panic(|| self.handler.ended(&end));
        self.peer.0.fail_calls(&end);
        // A peer that closes right after sending its calls still gets the quick replies. A running
        // turn is cancelled early enough for the process to end within a second.
        let quarter = self.limits.grace / 4;
        if !matches!(end, ConnectionEnd::Transport(_) | ConnectionEnd::StoppedReading { .. }) {
            let _ = tokio::time::timeout(quarter, self.drain()).await;
        }
        for (_, switch) in self.peer.0.incoming().drain() {
            switch.cancel();
        }
        let _ = tokio::time::timeout(2 * quarter, self.drain()).await;
        self.works.shutdown().await;
        self.peer.0.outbox.end(&end);
        self.peer.0.fail_calls(&end);
        // A transport such as streamable HTTP still has to tell the peer. This happens before the
        // end is reported, because the driver of the transport may be dropped after that.
        let closed = std::future::poll_fn(|context| self.peer.0.outbox.poll_close(context));
        let _ = tokio::time::timeout(quarter, closed).await;
        self.peer.0.outbox.close();
        self.peer.0.finish(&end);
        end
    }

    /// Writes the queue and waits until the running work has ended.
    async fn drain(&mut self) {
        std::future::poll_fn(|context| {
            let written = self.peer.0.outbox.poll_write(context);
            self.reap(context);
            match written {
                Poll::Ready(Err(_)) => Poll::Ready(()),
                Poll::Ready(Ok(())) if self.works.is_empty() => Poll::Ready(()),
                _ => Poll::Pending,
            }
        })
        .await;
    }
}

/// Returns why the connection ends after a failed write. If the other end is closed, the peer
/// ended; otherwise the transport failed.
fn write_failed(error: std::io::Error) -> ConnectionEnd {
    use std::io::ErrorKind::{BrokenPipe, ConnectionReset, WriteZero};
    match error.kind() {
        BrokenPipe | ConnectionReset | WriteZero => ConnectionEnd::PeerClosed { detail: None },
        _ => ConnectionEnd::Transport(Arc::new(error)),
    }
}

/// Polls new work once, because most work is done after one poll, and returns the work if it is
/// unfinished. If the work panics, its call gets an error reply (see [`crate::Responder`]) and
/// nothing else is affected.
fn start(work: Work) -> Work {
    let mut work = work?;
    let mut context = Context::from_waker(std::task::Waker::noop());
    let first = catch_panic(|| work.as_mut().poll(&mut context));
    matches!(first, Some(Poll::Pending)).then_some(work)
}

/// Takes one frame. Returns `None` if the handler panics while it handles this frame. A panic while
/// it recognizes the frame or flushes earlier frames does not affect this one.
fn take_frame<H: Handler>(
    peer: &Peer,
    handler: &mut H,
    open: usize,
    limits: &Limits,
    tap: Option<&Tap>,
    frame: &[u8],
) -> Option<Work> {
    if catch_panic(|| recognize(handler, tap, frame)) == Some(true) {
        return Some(None);
    }
    catch_panic(|| handler.flush());
    catch_panic(|| dispatch(peer, handler, open, limits, frame))
}

/// Runs the handler's code. Returns `None` if it panics. By then, the panic hook has printed the
/// message.
fn catch_panic<T>(code: impl FnOnce() -> T) -> Option<T> {
    std::panic::catch_unwind(AssertUnwindSafe(code)).ok()
}

/// Ends the connection when its driver is dropped, so that no caller waits forever.
struct FinishOnDrop(Peer);

impl Drop for FinishOnDrop {
    fn drop(&mut self) {
        self.0.0.finish(&ConnectionEnd::Closed);
        self.0.0.outbox.close();
    }
}
