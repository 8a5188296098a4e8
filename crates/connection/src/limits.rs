//! The limits of a connection.

use std::time::Duration;

/// The limits of a connection. The defaults suit a child process.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The longest line that is read, in bytes. A longer one ends the connection.
    pub line: usize,
    /// The largest number of open calls of the peer. Further calls are refused.
    pub calls: usize,
    /// How long the peer may read no byte while some are queued.
    pub stall: Duration,
    /// How long running work may still finish and lines may be written after either side closed the
    /// connection. One quarter passes undisturbed, half of it after the work is cancelled, and the
    /// last quarter is for the last lines.
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
