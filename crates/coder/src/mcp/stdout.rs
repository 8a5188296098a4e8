//! A wrapper that checks a server's output before the library reads it.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, ReadBuf};

/// The maximum length of a line from a server, in bytes. A longer line ends the connection, so that
/// memory stays bounded.
pub(super) const MAX_LINE: usize = 32 << 20;

/// How many bytes of a line that is not a message are kept.
const MAX_KEPT: usize = 200;

/// Problems in the output that a person should know about.
#[derive(Debug, Default)]
pub(super) struct OutputProblems {
    /// The beginning of the first line that was not a message.
    pub(super) stray: Vec<u8>,
    /// Whether a line was too long.
    pub(super) too_long: bool,
}

/// A reader of a server's output that passes the bytes on unchanged.
#[derive(Debug)]
pub(super) struct Stdout<R> {
    inner: R,
    longest: usize,
    /// The length of the current line.
    line: usize,
    /// Whether the beginning of the current line is being kept, because the line is not a message.
    keeps: bool,
    seen: Arc<Mutex<OutputProblems>>,
}

impl<R> Stdout<R> {
    pub(super) fn new(inner: R, longest: usize) -> Self {
        Self { inner, longest, line: 0, keeps: false, seen: Arc::default() }
    }

    pub(super) fn seen(&self) -> Arc<Mutex<OutputProblems>> {
        Arc::clone(&self.seen)
    }

    /// Checks new bytes. Returns whether all lines are short enough.
    fn inspect(&mut self, bytes: &[u8]) -> bool {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.keep(piece);
            self.line += piece.len();
            if self.line > self.longest {
                self.seen.lock().unwrap_or_else(PoisonError::into_inner).too_long = true;
                return false;
            }
            if piece.ends_with(b"\n") {
                (self.line, self.keeps) = (0, false);
            }
        }
        true
    }

    fn keep(&mut self, piece: &[u8]) {
        let begins_stray =
            self.line == 0 && !matches!(piece.first(), Some(b'{' | b'[' | b'\n' | b'\r'));
        if !begins_stray && !self.keeps {
            return;
        }
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        self.keeps = self.keeps || seen.stray.is_empty();
        if self.keeps {
            let room = MAX_KEPT.saturating_sub(seen.stray.len());
            seen.stray.extend(piece.iter().take(room));
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Stdout<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.inner).poll_read(cx, buffer);
        let new = buffer.filled().get(before..).unwrap_or_default();
        match read {
            Poll::Ready(Ok(())) if !self.inspect(new) => {
                // A failed read adds no bytes.
                buffer.set_filled(before);
                Poll::Ready(Err(io::ErrorKind::FileTooLarge.into()))
            }
            read => read,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Stdout;
    use tokio::io::AsyncReadExt as _;

    #[tokio::test]
    async fn first_stray_line_is_kept_and_a_long_line_ends_the_stream() {
        let mut text = Vec::new();
        let mut stdout = Stdout::new(&b"{\"a\":1}\nStarting up\n{}\nmore\n"[..], 100);
        let seen = stdout.seen();
        assert_eq!(stdout.read_to_end(&mut text).await.unwrap(), 28);
        assert_eq!(seen.lock().unwrap().stray, b"Starting up\n");

        let long = [b'{'; 101];
        let mut stdout = Stdout::new(&long[..], 100);
        let seen = stdout.seen();
        assert!(stdout.read_to_end(&mut text).await.is_err());
        assert!(seen.lock().unwrap().too_long);
    }
}
