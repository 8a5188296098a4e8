//! Splits a byte stream into lines, within a limit (RPC-02, RPC-08, RPC-10).

use super::{FrameSource, Incoming};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, ReadBuf};

/// The minimum free space for a read, and the size of an idle connection's buffer.
const CHUNK: usize = 64 * 1024;

/// The largest step by which the buffer grows.
const STEP: usize = 1024 * 1024;

/// Splits a stream into lines.
pub(super) struct LineSource {
    input: Pin<Box<dyn AsyncRead + Send>>,
    limit: usize,
    buffer: Vec<u8>,
    /// How many bytes of `buffer` are filled. The rest is spare room.
    filled: usize,
    /// Where the next line starts.
    start: usize,
    /// There is no line end between `start` and here.
    searched: usize,
    state: State,
}

enum State {
    Open,
    Failed(io::Error),
    End,
}

impl LineSource {
    pub(super) fn new(input: Pin<Box<dyn AsyncRead + Send>>, limit: usize) -> Self {
        Self {
            input,
            limit,
            buffer: Vec::new(),
            filled: 0,
            start: 0,
            searched: 0,
            state: State::Open,
        }
    }

    fn line_end(&mut self) -> Option<usize> {
        let unsearched = self.buffer.get(self.searched..self.filled)?;
        match memchr::memchr(b'\n', unsearched) {
            Some(index) => Some(self.searched + index),
            None => {
                self.searched = self.filled;
                None
            }
        }
    }

    /// Moves the unfinished line to the front of the buffer and makes room for a chunk behind it.
    /// If a line outgrows the buffer, the buffer doubles in size, but grows by at most [`STEP`].
    /// Once all lines are taken, the memory of a huge line is freed.
    fn make_room(&mut self) {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.filled, 0);
            self.filled -= self.start;
            self.searched -= self.start;
            self.start = 0;
        }
        if self.filled == 0 && self.buffer.len() > STEP {
            self.buffer = Vec::new();
        }
        if self.buffer.len() < self.filled + CHUNK {
            self.buffer.resize(self.filled + self.filled.clamp(CHUNK, STEP), 0);
        }
    }
}

impl FrameSource for LineSource {
    /// Reads once, unless a whole line is still in the buffer.
    fn poll_fill(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.line_end().is_some() || !matches!(self.state, State::Open) {
            return Poll::Ready(());
        }
        self.make_room();
        let Some(spare) = self.buffer.get_mut(self.filled..) else { return Poll::Ready(()) };
        let mut read = ReadBuf::new(spare);
        match std::task::ready!(self.input.as_mut().poll_read(context, &mut read)) {
            Ok(()) if read.filled().is_empty() => self.state = State::End,
            Ok(()) => self.filled += read.filled().len(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => self.state = State::Failed(error),
        }
        Poll::Ready(())
    }

    /// Returns the next line without its line end. It is never blank.
    fn next_frame(&mut self) -> Incoming<'_> {
        loop {
            let Some(end) = self.line_end() else {
                return match std::mem::replace(&mut self.state, State::End) {
                    _ if self.filled - self.start > self.limit => Incoming::TooLong,
                    State::Open => {
                        self.state = State::Open;
                        Incoming::More
                    }
                    State::Failed(error) => Incoming::Failed(error),
                    // An incomplete last line is not a message (RPC-09).
                    State::End => Incoming::End,
                };
            };
            let start = std::mem::replace(&mut self.start, end + 1);
            self.searched = self.start;
            let end = match self.buffer.get(start..end) {
                Some([.., b'\r']) => end - 1,
                _ => end,
            };
            if end - start > self.limit {
                return Incoming::TooLong;
            }
            let blank = self.buffer.get(start..end).is_none_or(|line| line.trim_ascii().is_empty());
            if !blank {
                return Incoming::Frame(self.buffer.get(start..end).unwrap_or_default());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CHUNK, LineSource};
    use crate::transport::{FrameSource as _, Incoming};

    #[tokio::test]
    async fn one_huge_line_does_not_keep_its_memory() {
        let huge = format!("{}\nsmall\n", "x".repeat(8 << 20));
        let mut lines =
            LineSource::new(Box::pin(std::io::Cursor::new(huge.into_bytes())), 32 << 20);
        let mut seen = Vec::new();
        loop {
            std::future::poll_fn(|context| lines.poll_fill(context)).await;
            match lines.next_frame() {
                Incoming::Frame(line) => seen.push(line.len()),
                Incoming::More => {}
                _ => break,
            }
        }
        assert_eq!(seen, [8 << 20, 5]);
        assert!(lines.buffer.len() <= CHUNK, "{} bytes are kept", lines.buffer.len());
    }
}
