//! The two ends of a transport without a connection.

use super::{FrameSink, FrameSource, Frames, Incoming, Transport};
use std::future::poll_fn;
use std::io;
use std::task::{Context, Poll, ready};

/// Opens a transport, to pass its frames on. The reader yields no frame of more than `limit` bytes.
pub fn frame_ends(transport: impl Transport + 'static, limit: usize) -> (FrameReader, FrameWriter) {
    let (source, sink) = Box::new(transport).open(limit);
    (FrameReader { source, filled: false }, FrameWriter { sink, frames: Frames::new() })
}

/// Receives frames, one after the other.
pub struct FrameReader {
    source: Box<dyn FrameSource>,
    /// Whether the source may have something to report.
    filled: bool,
}

impl FrameReader {
    /// Waits for the next frame. Returns `None` at the end. Dropping the future loses nothing.
    ///
    /// # Errors
    /// Returns an error if receiving failed or the next frame is too long. No frame follows.
    pub async fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// Like [`FrameReader::next`].
    pub fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Option<Vec<u8>>>> {
        loop {
            if self.filled {
                match self.source.next_frame() {
                    Incoming::Frame(frame) => return Poll::Ready(Ok(Some(frame.to_vec()))),
                    Incoming::More => self.filled = false,
                    Incoming::TooLong => {
                        let too_long = "the message is longer than this side accepts";
                        return Poll::Ready(Err(io::Error::new(
                            io::ErrorKind::InvalidData,
                            too_long,
                        )));
                    }
                    Incoming::Failed(error) => return Poll::Ready(Err(error)),
                    Incoming::End => return Poll::Ready(Ok(None)),
                }
            }
            ready!(self.source.poll_fill(context));
            self.filled = true;
        }
    }
}

/// Sends frames, one after the other.
pub struct FrameWriter {
    sink: Box<dyn FrameSink>,
    frames: Frames,
}

impl FrameWriter {
    /// Sends a frame, and waits until the transport has passed it on. If the future is dropped, the
    /// rest of the frame is sent before the next one.
    ///
    /// # Errors
    /// Returns an error if the peer is gone or the transport failed.
    pub async fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        if self.frames.is_empty() {
            self.frames.clear();
        }
        self.frames.push(frame);
        while !self.frames.is_empty() {
            poll_fn(|context| self.sink.poll_send(context, &mut self.frames)).await?;
        }
        poll_fn(|context| self.sink.poll_flush(context)).await
    }
}

impl std::fmt::Debug for FrameReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FrameReader")
    }
}

impl std::fmt::Debug for FrameWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FrameWriter")
    }
}
