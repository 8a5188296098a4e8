//! One frame in each line of a pair of byte streams.

use super::line_source::LineSource;
use super::{FrameSink, FrameSource, Frames, Transport};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite};

/// Carries one frame in each line of a pair of byte streams. ACP over stdio uses this.
///
/// Blank lines are not frames. A line may end with `\n` or `\r\n`. A last line without its end is
/// dropped.
pub struct LineTransport {
    input: Pin<Box<dyn AsyncRead + Send>>,
    output: Pin<Box<dyn AsyncWrite + Send>>,
}

impl LineTransport {
    /// Returns a transport that reads lines from `input` and writes lines to `output`.
    pub fn new(
        input: impl AsyncRead + Send + 'static,
        output: impl AsyncWrite + Send + 'static,
    ) -> Self {
        Self { input: Box::pin(input), output: Box::pin(output) }
    }
}

impl Transport for LineTransport {
    fn open(self: Box<Self>, limit: usize) -> (Box<dyn FrameSource>, Box<dyn FrameSink>) {
        (Box::new(LineSource::new(self.input, limit)), Box::new(LineSink(self.output)))
    }
}

impl std::fmt::Debug for LineTransport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LineTransport").finish_non_exhaustive()
    }
}

/// Writes all queued frames with one call.
struct LineSink(Pin<Box<dyn AsyncWrite + Send>>);

impl FrameSink for LineSink {
    // RPC-02
    fn poll_send(
        &mut self,
        context: &mut Context<'_>,
        frames: &mut Frames,
    ) -> Poll<io::Result<()>> {
        loop {
            match ready!(self.0.as_mut().poll_write(context, frames.lines())) {
                Ok(0) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Ok(count) => {
                    frames.advance(count);
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }

    fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.as_mut().poll_flush(context)
    }

    fn poll_close(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.as_mut().poll_shutdown(context)
    }
}
