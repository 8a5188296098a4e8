//! The limits of a connection.

use std::time::Duration;

/// What a connection does within; the defaults suit a child process.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Longest line that is read, in bytes; a longer one ends the connection (RPC-10).
    pub line: usize,
    /// Calls of the peer that may be served at once; one more is refused.
    pub calls: usize,
    /// How long a peer may take no byte while some are waiting.
    pub stall: Duration,
    /// How long, after the peer closed its end or this side closed, work in hand may still finish
    /// and lines be written: a quarter of it undisturbed, half of it once told to stop, a quarter
    /// for the last lines.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            line: 32 << 20,
            calls: 256,
            stall: Duration::from_secs(60),
            grace: Duration::from_secs(2),
        }
    }
}
