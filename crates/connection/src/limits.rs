//! The limits of a connection.

use std::time::Duration;

/// The limits of a connection. The defaults suit a child process.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The longest message that is read, in bytes. A longer one ends the connection.
    pub frame: usize,
    /// The largest number of open calls from the peer. Further calls are refused.
    pub calls: usize,
    /// How long the peer may go without reading a byte while bytes are queued.
    pub stall: Duration,
    /// How long running work may take to finish, and queued frames to be written, after either side
    /// has closed the connection. During the first quarter of this time, the work runs undisturbed.
    /// The work is then cancelled and has half of this time to end. The last quarter is for writing
    /// the remaining frames.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            frame: 32 << 20,
            calls: 256,
            stall: Duration::from_secs(60),
            grace: Duration::from_secs(2),
        }
    }
}
