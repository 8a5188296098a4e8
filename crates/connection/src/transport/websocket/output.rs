//! The sending half of a WebSocket.
//!
//! The source shares it, because it answers pings and reports broken rules.

use super::header::{CLOSE, Header, LONGEST_CONTROL, PONG, TEXT, apply_mask};
use super::role::WebSocketRole;
use crate::transport::{FrameSink, Frames};
use ring::rand::{SecureRandom as _, SystemRandom};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use tokio::io::AsyncWrite;

/// The buffer for frames takes no more once it holds this many bytes.
const CHUNK: usize = 64 * 1024;

/// The status of a connection that ends as intended.
pub(super) const NORMAL: u16 = 1000;
pub(super) const PROTOCOL_ERROR: u16 = 1002;
pub(super) const NOT_TEXT: u16 = 1003;
pub(super) const TOO_LONG: u16 = 1009;

/// The output of a WebSocket, which the source and the sink share.
#[derive(Clone)]
pub(super) struct SharedOutput(Arc<Mutex<Output>>);

struct Output {
    stream: Pin<Box<dyn AsyncWrite + Send>>,
    role: WebSocketRole,
    /// Encoded bytes. The first `written` of them are sent.
    buffer: Vec<u8>,
    written: usize,
    /// The frame of which only a part is in the buffer.
    unfinished: Option<Unfinished>,
    /// A control frame that waits until `unfinished` is complete.
    control: Option<(u8, Vec<u8>)>,
    /// The status with which the connection will be closed.
    status: (u16, &'static str),
    closing: bool,
    /// Whether the sink waits, and its waker must stay registered.
    sink_waits: bool,
}

#[derive(Clone, Copy)]
struct Unfinished {
    mask: Option<[u8; 4]>,
    offset: u64,
    rest: usize,
}

impl SharedOutput {
    pub(super) fn new(stream: Pin<Box<dyn AsyncWrite + Send>>, role: WebSocketRole) -> Self {
        Self(Arc::new(Mutex::new(Output {
            stream,
            role,
            buffer: Vec::new(),
            written: 0,
            unfinished: None,
            control: None,
            status: (NORMAL, ""),
            closing: false,
            sink_waits: false,
        })))
    }

    fn output(&self) -> MutexGuard<'_, Output> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a control frame as soon as it can be sent. Only the last one that waits is sent, so
    /// that a peer that pings and does not read costs no memory.
    pub(super) fn control(&self, opcode: u8, payload: &[u8]) {
        let payload = payload.get(..LONGEST_CONTROL).unwrap_or(payload);
        self.output().control = Some((opcode, payload.to_vec()));
    }

    /// Answers a ping.
    pub(super) fn pong(&self, payload: &[u8]) {
        self.control(PONG, payload);
    }

    /// Sets the status with which the connection will be closed, unless it has another reason.
    pub(super) fn set_status(&self, status: u16, reason: &'static str) {
        let mut output = self.output();
        if output.status.0 == NORMAL {
            output.status = (status, reason);
        }
    }

    /// Sends control frames on behalf of the source, unless the sink does that anyway.
    pub(super) fn poll_control(&self, context: &mut Context<'_>) {
        let mut output = self.output();
        if !output.sink_waits && (output.control.is_some() || output.has_unwritten()) {
            // The sink gets the same error.
            let _ = output.poll_write_out(context);
        }
    }
}

impl Output {
    fn has_unwritten(&self) -> bool {
        self.written < self.buffer.len()
    }

    /// Writes the buffer and the control frame that waits.
    fn poll_write_out(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            while let Some(unwritten) = self.buffer.get(self.written..).filter(|b| !b.is_empty()) {
                match ready!(self.stream.as_mut().poll_write(context, unwritten)) {
                    Ok(0) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                    Ok(count) => self.written += count,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Poll::Ready(Err(error)),
                }
            }
            self.buffer.clear();
            self.written = 0;
            match self.control.take_if(|_| self.unfinished.is_none()) {
                Some((opcode, payload)) => self.put_whole(opcode, &payload)?,
                None => return Poll::Ready(Ok(())),
            }
        }
    }

    /// Puts as many frames into the buffer as fit.
    fn take(&mut self, frames: &mut Frames) -> io::Result<()> {
        while self.buffer.len() < CHUNK {
            let Some(frame) = frames.first() else { return Ok(()) };
            let mut part = match self.unfinished {
                Some(unfinished) => unfinished,
                None => self.begin(TEXT, frame.len())?,
            };
            let count = part.rest.min(CHUNK - self.buffer.len().min(CHUNK));
            let bytes = frame.get(..count).unwrap_or(frame);
            self.put(&mut part, bytes);
            self.unfinished = (part.rest > 0).then_some(part);
            match part.rest {
                0 => frames.pop(),
                _ => frames.advance(count),
            }
        }
        Ok(())
    }

    /// Puts a header into the buffer.
    fn begin(&mut self, opcode: u8, length: usize) -> io::Result<Unfinished> {
        let mask = match self.role {
            WebSocketRole::Client => Some(random_mask()?),
            WebSocketRole::Server => None,
        };
        Header { is_final: true, opcode, length: length as u64, mask }.write(&mut self.buffer);
        Ok(Unfinished { mask, offset: 0, rest: length })
    }

    fn put(&mut self, part: &mut Unfinished, bytes: &[u8]) {
        let start = self.buffer.len();
        self.buffer.extend_from_slice(bytes);
        if let (Some(mask), Some(put)) = (part.mask, self.buffer.get_mut(start..)) {
            apply_mask(put, mask, part.offset);
        }
        part.offset += bytes.len() as u64;
        part.rest -= bytes.len().min(part.rest);
    }

    fn put_whole(&mut self, opcode: u8, payload: &[u8]) -> io::Result<()> {
        let mut part = self.begin(opcode, payload.len())?;
        self.put(&mut part, payload);
        Ok(())
    }

    /// Ends the messages with the status. A frame that was cut off cannot be ended properly.
    fn begin_closing(&mut self) {
        if std::mem::replace(&mut self.closing, true) || self.unfinished.is_some() {
            return;
        }
        let (status, reason) = self.status;
        let mut payload = status.to_be_bytes().to_vec();
        payload.extend_from_slice(reason.as_bytes());
        self.control = Some((CLOSE, payload));
    }
}

/// A new mask, which nothing can predict.
fn random_mask() -> io::Result<[u8; 4]> {
    let mut mask = [0; 4];
    let random = SystemRandom::new();
    random.fill(&mut mask).map_err(|_| io::Error::other("the system has no random numbers"))?;
    Ok(mask)
}

/// Sends each frame as one text message.
pub(super) struct WebSocketSink(pub(super) SharedOutput);

impl FrameSink for WebSocketSink {
    fn poll_send(
        &mut self,
        context: &mut Context<'_>,
        frames: &mut Frames,
    ) -> Poll<io::Result<()>> {
        let mut output = self.0.output();
        if output.closing {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        let drained = output.poll_write_out(context);
        output.sink_waits = drained.is_pending();
        match drained {
            Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
            Poll::Pending if output.buffer.len() >= CHUNK => return Poll::Pending,
            _ => {}
        }
        output.take(frames)?;
        match output.poll_write_out(context) {
            Poll::Ready(written) => {
                output.sink_waits = false;
                Poll::Ready(written)
            }
            Poll::Pending => {
                output.sink_waits = true;
                Poll::Ready(Ok(()))
            }
        }
    }

    fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut output = self.0.output();
        let written = output.poll_write_out(context);
        output.sink_waits = written.is_pending();
        ready!(written)?;
        output.stream.as_mut().poll_flush(context)
    }

    fn poll_close(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut output = self.0.output();
        output.begin_closing();
        let written = output.poll_write_out(context);
        output.sink_waits = written.is_pending();
        ready!(written)?;
        output.stream.as_mut().poll_shutdown(context)
    }
}

impl Drop for WebSocketSink {
    /// Closes the direction without waiting, if it was not closed properly.
    fn drop(&mut self) {
        let mut output = self.0.output();
        output.sink_waits = false;
        output.closing = true;
        let mut context = Context::from_waker(Waker::noop());
        let _ = output.stream.as_mut().poll_shutdown(&mut context);
    }
}
