//! A tap sees every frame of a connection.

use std::sync::Arc;

/// The direction of a frame, seen from the side that holds the tap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From this side to the peer.
    Sent,
    /// From the peer to this side.
    Received,
}

/// A function that is called with every frame in both directions before the frame is handled. A
/// frame is the text of one message, without a line end. The function runs while the connection
/// reads or writes, so it must be quick and must not call the connection. A connection without a
/// tap has no overhead.
pub type Tap = Arc<dyn Fn(Direction, &[u8]) + Send + Sync>;

/// Passes a frame to a tap. A panic in the tap does not affect the frame.
pub(crate) fn show(tap: &Tap, direction: Direction, frame: &[u8]) {
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| tap(direction, frame)));
}
