//! The receiving half of a WebSocket.

use super::header::{
    BINARY, CLOSE, CONTINUATION, Header, LONGEST_CONTROL, PING, PONG, TEXT, apply_mask, broken,
};
use super::keep_alive::{Due, KeepAlive};
use super::output::{NORMAL, NOT_TEXT, PROTOCOL_ERROR, SharedOutput, TOO_LONG};
use super::role::WebSocketRole;
use crate::transport::{FrameSource, Incoming};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, ReadBuf};

/// The size of the read buffer, and of the memory that an idle connection keeps for messages.
const CHUNK: usize = 64 * 1024;

/// The largest step by which the memory of a message grows.
const STEP: usize = 1024 * 1024;

/// Receives the text messages of a WebSocket.
pub(super) struct WebSocketSource {
    stream: Pin<Box<dyn AsyncRead + Send>>,
    role: WebSocketRole,
    limit: usize,
    output: SharedOutput,
    keep_alive: Option<KeepAlive>,
    /// Bytes that were read. Those from `start` to `filled` are not decoded yet.
    buffer: Vec<u8>,
    start: usize,
    filled: usize,
    /// The frame that is being received, and how many bytes of its payload have arrived.
    frame: Option<(Header, u64)>,
    /// The payload of a control frame. Control frames may arrive between the frames of a message.
    control: Vec<u8>,
    message: Vec<u8>,
    state: State,
}

#[derive(Debug)]
enum State {
    /// Between two messages. `message` is empty or was handed out.
    Between,
    /// A message has begun.
    Receiving,
    /// `message` is complete.
    Complete,
    TooLong,
    Failed(io::Error),
    End,
}

impl WebSocketSource {
    pub(super) fn new(
        stream: Pin<Box<dyn AsyncRead + Send>>,
        role: WebSocketRole,
        limit: usize,
        output: SharedOutput,
        keep_alive: Option<KeepAlive>,
    ) -> Self {
        Self {
            stream,
            role,
            limit,
            output,
            keep_alive,
            buffer: Vec::new(),
            start: 0,
            filled: 0,
            frame: None,
            control: Vec::new(),
            message: Vec::new(),
            state: State::Between,
        }
    }

    /// Decodes what was read, until a message is complete or all of it is decoded.
    fn decode(&mut self) {
        while matches!(self.state, State::Between | State::Receiving) {
            let progress = match self.frame {
                None => self.begin_frame(),
                Some((header, arrived)) => Ok(self.continue_frame(header, arrived)),
            };
            match progress {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => self.fail(PROTOCOL_ERROR, "the frame breaks the rules", error),
            }
        }
    }

    fn fail(&mut self, status: u16, reason: &'static str, error: io::Error) {
        self.output.set_status(status, reason);
        self.state = State::Failed(error);
    }

    /// Reads the next header. Returns whether it was complete.
    fn begin_frame(&mut self) -> io::Result<bool> {
        let read = self.buffer.get(self.start..self.filled).unwrap_or_default();
        let Some((header, length)) = Header::read(read)? else { return Ok(false) };
        self.start += length;
        let must_mask = self.role == WebSocketRole::Server;
        if header.mask.is_some() != must_mask {
            return Err(broken("sent a frame with the wrong mask"));
        }
        match (header.opcode, &self.state) {
            (TEXT, State::Between) => {
                self.forget_message();
                self.state = State::Receiving;
            }
            (CONTINUATION, State::Receiving) => {}
            (BINARY, _) => {
                let error = broken("sent a binary message; ACP messages are text");
                self.fail(NOT_TEXT, "ACP messages are text, not binary", error);
                return Ok(true);
            }
            (TEXT | CONTINUATION, _) => return Err(broken("mixed up the parts of its messages")),
            _ => self.control.clear(),
        }
        let room = self.limit.saturating_sub(self.message.len());
        if header.opcode < CLOSE && header.length > room as u64 {
            self.output.set_status(TOO_LONG, "the message is too long");
            self.state = State::TooLong;
            return Ok(true);
        }
        self.frame = Some((header, 0));
        Ok(true)
    }

    /// Takes more of the payload. Returns whether there may be more to decode.
    fn continue_frame(&mut self, header: Header, arrived: u64) -> bool {
        let missing = header.length - arrived;
        let available = self.filled - self.start;
        let count = usize::try_from(missing).map_or(available, |missing| missing.min(available));
        if count == 0 && missing > 0 {
            return false;
        }
        let payload = self.buffer.get_mut(self.start..self.start + count).unwrap_or_default();
        if let Some(mask) = header.mask {
            apply_mask(payload, mask, arrived);
        }
        if header.opcode >= CLOSE {
            self.control.extend_from_slice(payload);
        } else {
            make_room(&mut self.message, count, self.limit);
            self.message.extend_from_slice(payload);
        }
        self.start += count;
        self.frame = Some((header, arrived + count as u64));
        if missing == count as u64 {
            self.end_frame(header);
        }
        true
    }

    fn end_frame(&mut self, header: Header) {
        self.frame = None;
        match header.opcode {
            PING => self.output.pong(&self.control),
            PONG => {}
            CLOSE => {
                // The reply of the close handshake follows when the sink is closed.
                self.output.set_status(NORMAL, "");
                self.state = State::End;
            }
            _ if !header.is_final => {}
            // Like a blank line, a blank message is not a frame.
            _ if self.message.trim_ascii().is_empty() => self.state = State::Between,
            _ => self.state = State::Complete,
        }
    }

    /// Frees the message that was handed out, and the memory of an unusually long one.
    fn forget_message(&mut self) {
        self.message.clear();
        self.message.shrink_to(CHUNK);
    }

    /// Reads once.
    fn poll_read(&mut self, context: &mut Context<'_>) -> Poll<()> {
        // At most an incomplete header is left, which moves to the front.
        self.buffer.copy_within(self.start..self.filled, 0);
        self.filled -= self.start;
        self.start = 0;
        self.buffer.resize(CHUNK + LONGEST_CONTROL, 0);
        let Some(spare) = self.buffer.get_mut(self.filled..) else { return Poll::Ready(()) };
        let mut read = ReadBuf::new(spare);
        match ready!(self.stream.as_mut().poll_read(context, &mut read)) {
            Ok(()) if read.filled().is_empty() => self.state = State::End,
            Ok(()) => self.filled += read.filled().len(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => self.state = State::Failed(error),
        }
        Poll::Ready(())
    }
}

/// Makes room for `count` more bytes, in steps, and never for more than the limit.
fn make_room(message: &mut Vec<u8>, count: usize, limit: usize) {
    let needed = message.len() + count;
    if message.capacity() < needed {
        let step = message.len().clamp(CHUNK.min(limit), STEP);
        let wanted = needed.max((message.len() + step).min(limit));
        message.reserve_exact(wanted - message.len());
    }
}

impl FrameSource for WebSocketSource {
    /// Reads once, unless there is something to report.
    fn poll_fill(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.decode();
        if !matches!(self.state, State::Between | State::Receiving) {
            return Poll::Ready(());
        }
        self.output.poll_control(context);
        let read = self.poll_read(context);
        let Some(keep_alive) = &mut self.keep_alive else { return read };
        if read.is_ready() {
            keep_alive.received();
            return Poll::Ready(());
        }
        match ready!(keep_alive.poll(context)) {
            Due::Ping => {
                self.output.control(PING, b"");
                self.output.poll_control(context);
            }
            Due::Gone => {
                let gone = "the other side of the WebSocket does not answer";
                self.state = State::Failed(io::Error::new(io::ErrorKind::TimedOut, gone));
            }
        }
        Poll::Ready(())
    }

    fn next_frame(&mut self) -> Incoming<'_> {
        self.decode();
        match std::mem::replace(&mut self.state, State::End) {
            state @ (State::Between | State::Receiving) => {
                self.state = state;
                Incoming::More
            }
            State::Complete => {
                self.state = State::Between;
                Incoming::Frame(self.message.trim_ascii())
            }
            State::TooLong => Incoming::TooLong,
            State::Failed(error) => Incoming::Failed(error),
            State::End => Incoming::End,
        }
    }
}
