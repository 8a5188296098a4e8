//! The output of a process tree.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use tokio::net::unix::pipe;

use crate::process::tree::ExitWatch;

/// The reading end of a pipe into which a tree writes. A copy of the writing end outside the tree
/// does not block the reader: once the tree is gone, only the bytes left in the pipe are read.
#[derive(Debug)]
pub(crate) struct Output {
    pipe: pipe::Receiver,
    end: ExitWatch,
}

impl Output {
    pub(crate) fn new(pipe: pipe::Receiver, end: ExitWatch) -> Output {
        Output { pipe, end }
    }

    /// Reads the next bytes. Returns `None` when the pipe has ended, or is empty and the tree is
    /// gone. Cancel-safe.
    pub(crate) async fn read(&self, buffer: &mut [u8]) -> Option<usize> {
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
                    if let Some(Err(_)) = self.end.or(self.pipe.readable()).await {
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
