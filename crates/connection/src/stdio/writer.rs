//! Writes to descriptors that need a thread.

use std::fs::File;
use std::io::{self, Write as _};
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use tokio::io::AsyncWrite;

/// The maximum number of bytes that the thread gets at a time. If the user stops the terminal, at
/// most this many bytes count as written although they are not.
const CHUNK: usize = 64 * 1024;

/// A file, a terminal, or a pipe that cannot be reopened, to which a thread writes. A terminal can
/// be stopped or a pipe can be full for hours, and the connection must notice that. The thread
/// takes one chunk at a time, and ends when this value is dropped. A write that never returns does
/// not keep the process alive.
pub(super) struct BlockingWriter(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Signals that there is a chunk, or that no more will follow.
    given: Condvar,
}

#[derive(Default)]
struct State {
    chunk: Vec<u8>,
    /// Whether the thread has bytes that are not written yet.
    busy: bool,
    over: bool,
    error: Option<io::Error>,
    waker: Option<Waker>,
}

/// Waits until a file that a parent made non-blocking can be written.
type Wait = fn(&File) -> io::Result<()>;

impl BlockingWriter {
    pub(super) fn new(mut file: File, wait: Wait) -> io::Result<Self> {
        let shared = Arc::<Shared>::default();
        let theirs = Arc::clone(&shared);
        let write = move || {
            while let Some(chunk) = theirs.next_chunk() {
                let outcome = write_all(&mut file, &chunk, wait);
                theirs.written(outcome);
            }
        };
        std::thread::Builder::new().name("attache-stdout".to_owned()).spawn(write)?;
        Ok(Self(shared))
    }

    /// Ready once the thread has written everything. An error is kept, because nothing can be
    /// written after it.
    fn poll_idle(&self, context: &Context<'_>) -> Poll<io::Result<MutexGuard<'_, State>>> {
        let mut state = self.0.state();
        if state.busy {
            state.waker = Some(context.waker().clone());
            return Poll::Pending;
        }
        match &state.error {
            Some(error) => Poll::Ready(Err(copied(error))),
            None => Poll::Ready(Ok(state)),
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a chunk. Returns `None` once no more will follow.
    fn next_chunk(&self) -> Option<Vec<u8>> {
        let waits = |state: &mut State| state.chunk.is_empty() && !state.over;
        let state = self.given.wait_while(self.state(), waits);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        let chunk = std::mem::take(&mut state.chunk);
        (!chunk.is_empty()).then_some(chunk)
    }

    fn written(&self, outcome: io::Result<()>) {
        let waker = {
            let mut state = self.state();
            state.busy = false;
            state.error = outcome.err();
            state.waker.take()
        };
        waker.into_iter().for_each(Waker::wake);
    }
}

fn write_all(file: &mut File, mut bytes: &[u8], wait: Wait) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // A parent made the shared descriptor non-blocking, so wait as a blocking write would.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => wait(file)?,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn copied(error: &io::Error) -> io::Error {
    error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error)
}

impl AsyncWrite for BlockingWriter {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let mut state = std::task::ready!(self.poll_idle(context))?;
        let part = bytes.get(..CHUNK).unwrap_or(bytes);
        state.chunk.extend_from_slice(part);
        state.busy = !part.is_empty();
        drop(state);
        self.0.given.notify_one();
        Poll::Ready(Ok(part.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_idle(context).map_ok(drop)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(context)
    }
}

impl Drop for BlockingWriter {
    fn drop(&mut self) {
        self.0.state().over = true;
        self.0.given.notify_one();
    }
}
