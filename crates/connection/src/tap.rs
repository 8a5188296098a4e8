//! Seeing every line of a connection.

use std::sync::Arc;

/// Which way a line went, seen from the side that holds the tap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From us to the peer.
    Sent,
    /// From the peer to us.
    Received,
}

/// Called for every line in both directions, without its line end, before anything is done with it.
/// It runs on the connection's own path: it must be quick, and it must not call the connection.
/// Without a tap nothing is spent.
pub type Tap = Arc<dyn Fn(Direction, &[u8]) + Send + Sync>;

/// Shows a line to a tap. A panic of the tap changes nothing about the line.
pub(crate) fn show(tap: &Tap, direction: Direction, line: &[u8]) {
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| tap(direction, line)));
}
