//! A message as it was sent.

use attache_protocol::method::Side;
use std::time::SystemTime;

/// The longest part of a message that is kept, in bytes.
pub(super) const KEPT: usize = 256 * 1024;

/// Returns the time in microseconds since 1970.
pub(super) fn now() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

/// A message as it was sent. It can contain secrets.
pub(crate) struct Frame {
    /// The number of the message among all messages with the agent, from 1.
    pub(super) number: u64,
    /// The number of the connection to the agent, from 1.
    pub(super) connection: u64,
    /// The sender.
    pub(super) from: Side,
    /// When it was sent, in microseconds since 1970.
    pub(super) at: i64,
    /// The size of the whole message in bytes.
    pub(super) size: usize,
    /// The message, or the beginning of a long one.
    pub(super) bytes: Box<[u8]>,
}

impl Frame {
    /// Copies a message that is sent now.
    pub(super) fn new(number: u64, connection: u64, from: Side, bytes: &[u8]) -> Self {
        let at = now();
        let kept = bytes.get(..KEPT).unwrap_or(bytes);
        Self { number, connection, from, at, size: bytes.len(), bytes: kept.into() }
    }

    /// Whether only the beginning of the message is kept.
    pub(super) fn is_cut(&self) -> bool {
        self.size > self.bytes.len()
    }
}
