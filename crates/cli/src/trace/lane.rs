//! The queue of bytes to record.

use attache_protocol::method::Side;
use jiff::Timestamp;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

/// The capacity in bytes. While the queue is full, the traffic waits, so that nothing is lost.
const ROOM: usize = 8 * 1024 * 1024;

/// The capacity in pieces.
const PIECES: usize = 16 * 1024;

/// A piece of the traffic.
pub(super) struct Piece {
    pub(super) from: Side,
    pub(super) at: Timestamp,
    pub(super) bytes: Vec<u8>,
    _room: OwnedSemaphorePermit,
}

/// The sending end of the queue.
#[derive(Clone)]
pub(super) struct Lane {
    pieces: mpsc::Sender<Piece>,
    room: Arc<Semaphore>,
}

/// Returns both ends of a queue.
pub(super) fn lane() -> (Lane, mpsc::Receiver<Piece>) {
    let (pieces, receiver) = mpsc::channel(PIECES);
    (Lane { pieces, room: Arc::new(Semaphore::new(ROOM)) }, receiver)
}

impl Lane {
    /// Waits for room and queues a piece. If the receiver was dropped, the piece is dropped.
    pub(super) async fn put(&self, from: Side, bytes: &[u8]) {
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let Ok(room) = self.room.clone().acquire_many_owned(length).await else { return };
        let piece = Piece { from, at: Timestamp::now(), bytes: bytes.to_vec(), _room: room };
        let _nobody_records = self.pieces.send(piece).await;
    }
}
