//! The output of a process tree.

use std::future::poll_fn;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::pin::pin;
use std::task::Poll;

use crate::process::exit_watch::ExitWatch;
use crate::process::system::pipes::OutputPipe;

/// The reading end of a pipe into which a tree writes. A copy of the writing end outside the tree
/// does not block the reader: once the tree is gone, only the bytes left in the pipe are read.
#[derive(Debug)]
pub(crate) struct Output {
    pipe: OutputPipe,
    end: ExitWatch,
}

impl Output {
    pub(crate) fn new(pipe: OutputPipe, end: ExitWatch) -> Output {
        Output { pipe, end }
    }

    /// Reads the next bytes. Returns `None` when the pipe has ended, or is empty and the tree is
    /// gone. Cancel-safe.
    pub(crate) async fn read(&mut self, buffer: &mut [u8]) -> Option<usize> {
        loop {
            tokio::task::consume_budget().await;
            // Checked before reading: everything that an ended tree wrote is in the pipe by now.
            // The runtime may not have noticed the bytes yet and report an empty pipe, so the pipe
            // is then read directly.
            let ended = self.end.exit().is_some();
            let result =
                if ended { read_now(&self.pipe, buffer) } else { self.pipe.try_read(buffer) };
            match result {
                Ok(0) => return None,
                Ok(count) => return Some(count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && !ended => {
                    if let Some(Err(_)) = before_end(&self.end, self.pipe.readable()).await {
                        return None;
                    }
                }
                Err(_) => return None,
            }
        }
    }
}

/// Reads without asking the runtime; the pipe does not block.
fn read_now(pipe: &impl AsFd, buffer: &mut [u8]) -> io::Result<usize> {
    // SAFETY: the descriptor is open, and the pointer and the length are those of the buffer.
    let count =
        unsafe { libc::read(pipe.as_fd().as_raw_fd(), buffer.as_mut_ptr().cast(), buffer.len()) };
    usize::try_from(count).map_err(|_| io::Error::last_os_error())
}

/// Waits for the event or the end of the tree. Returns the event if it came first. Cancel-safe if
/// the event is.
async fn before_end<T>(end: &ExitWatch, event: impl Future<Output = T>) -> Option<T> {
    let (mut event, mut end) = (pin!(event), pin!(end.wait()));
    poll_fn(|context| match event.as_mut().poll(context) {
        Poll::Ready(value) => Poll::Ready(Some(value)),
        Poll::Pending => end.as_mut().poll(context).map(|_| None),
    })
    .await
}
