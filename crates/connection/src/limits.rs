//! The limits of a connection.

use std::time::Duration;

/// The limits of a connection. The defaults suit a child process.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The longest line that is read, in bytes. A longer one ends the connection.
    pub line: usize,
    /// The largest number of open calls from the peer. Further calls are refused.
    pub calls: usize,
    /// How long the peer may go without reading a byte while some are queued.
    pub stall: Duration,
    /// How long running work may still finish and lines may be written after either side closed the
    /// connection. During the first quarter, the work runs undisturbed. It is then cancelled and
    /// gets half of the time to end. The last quarter is for writing the last lines.
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
