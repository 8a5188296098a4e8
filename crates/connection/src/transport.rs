//! Transports, which carry the messages of a connection.
//!
//! A transport carries *frames* in both directions. A frame is the JSON text of one message, with
//! nothing before or after it. The rest of this crate handles frames only: how a frame becomes
//! bytes is the transport's business.
//!
//! | type | carries |
//! |---|---|
//! | [`LineTransport`] | one frame in each line of a pair of byte streams, such as stdin and stdout |
//! | [`MemoryTransport`] | frames between two connections in one process |
//! | `WebSocketTransport` | one frame in each text message of a WebSocket (feature `websocket`) |
//!
//! Streamable HTTP is made from a [`MemoryTransport`] and requests. With the feature
//! `streamable-http`, `streamable` contains what both of its sides share.
//!
//! [`FrameReader`] and [`FrameWriter`] use a transport without a connection, to pass frames on.
//!
//! [`Builder::connect_over`](crate::Builder::connect_over) accepts any [`Transport`].
//!
//! # What a transport guarantees
//!
//! A connection gives the same guarantees over each transport: order, limits, back pressure, tap,
//! cancellation and shutdown. For this, each transport guarantees that:
//!
//! - A frame arrives whole, once, and after all frames that were sent before it. If a transport
//!   cannot deliver a frame, it fails or ends.
//! - The source reports a frame over the limit as [`Incoming::TooLong`]. If the peer is another
//!   process, the source never holds more than the limit, one read and its own fixed buffers.
//! - The source receives nothing while frames wait to be taken, so that the peer has to wait.
//! - The sink takes a frame only when it can pass it on. While the peer does not read, it holds a
//!   fixed number of bytes and then returns [`Poll::Pending`]. The connection counts frames that
//!   the sink did not take: they make senders wait, and the peer has
//!   [`Limits::stall`](crate::Limits::stall) to read the next byte.
//! - The source still yields all frames that the peer sent before it closed its sink, and then
//!   [`Incoming::End`].
//! - A sink whose peer is gone fails with [`BrokenPipe`](io::ErrorKind::BrokenPipe) or
//!   [`ConnectionReset`](io::ErrorKind::ConnectionReset); a stream that takes no more bytes, with
//!   [`WriteZero`](io::ErrorKind::WriteZero). Any other error counts as a failure of
//!   the transport itself.
//! - Dropping one half closes that direction at once.

mod ends;
mod frames;
mod line_source;
mod lines;
mod memory;
#[cfg(feature = "streamable-http")]
pub mod streamable;
#[cfg(feature = "websocket")]
mod websocket;

pub use ends::{FrameReader, FrameWriter, frame_ends};
pub use frames::Frames;
pub use lines::LineTransport;
pub use memory::MemoryTransport;
#[cfg(feature = "websocket")]
pub use websocket::{WebSocketRole, WebSocketTransport, websocket_accept, websocket_key};

use std::io;
use std::task::{Context, Poll};

/// Carries frames in both directions. [The module](self) lists what it guarantees.
pub trait Transport: Send {
    /// Opens both directions. The source yields no frame of more than `limit` bytes.
    fn open(self: Box<Self>, limit: usize) -> (Box<dyn FrameSource>, Box<dyn FrameSink>);
}

impl Transport for Box<dyn Transport> {
    fn open(self: Box<Self>, limit: usize) -> (Box<dyn FrameSource>, Box<dyn FrameSink>) {
        (*self).open(limit)
    }
}

/// Receives frames from the peer.
///
/// The source owns the bytes that it has received, so a poll can be abandoned at any time.
pub trait FrameSource: Send {
    /// Receives more, unless [`FrameSource::next_frame`] already has something to report. Ready as
    /// soon as anything arrived, even if that is only a part of a frame. Until then, it returns
    /// [`Poll::Pending`] and wakes the last caller's waker when something arrives.
    fn poll_fill(&mut self, context: &mut Context<'_>) -> Poll<()>;

    /// Returns the next frame, or why there is none.
    fn next_frame(&mut self) -> Incoming<'_>;
}

/// The next frame of a [`FrameSource`], or why there is none.
#[derive(Debug)]
pub enum Incoming<'b> {
    /// A frame.
    Frame(&'b [u8]),
    /// No whole frame has arrived yet. [`FrameSource::poll_fill`] waits for more.
    More,
    /// The next frame is longer than the limit. The connection ends and takes no further frame.
    TooLong,
    /// Receiving failed. The connection ends.
    Failed(io::Error),
    /// The peer closed this direction. An incomplete last frame is dropped.
    End,
}

/// Sends frames to the peer.
pub trait FrameSink: Send {
    /// Sends the first of these frames, or as many as fit, and removes them from `frames`, which is
    /// not empty. A transport of byte streams may send a part of a frame; the next call continues
    /// there.
    ///
    /// Returns [`Poll::Pending`] if it can take nothing now, and wakes the last caller's waker once
    /// that changes. If it succeeds without sending anything, the connection ends.
    fn poll_send(&mut self, context: &mut Context<'_>, frames: &mut Frames)
    -> Poll<io::Result<()>>;

    /// Passes on everything that [`FrameSink::poll_send`] took.
    fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>>;

    /// Flushes, and tells the peer that no frame follows. The connection drops the sink afterwards,
    /// or earlier if this takes too long.
    fn poll_close(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>>;
}
