//! What passed and waits to be recorded.

use attache_protocol::method::Side;
use jiff::Timestamp;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

/// How much may wait, in bytes. Then the traffic waits, so that nothing is lost.
const ROOM: usize = 8 * 1024 * 1024;

/// How many pieces may wait.
const PIECES: usize = 16 * 1024;

/// Bytes as they passed, at most [`super::PIECE`].
pub(super) struct Piece {
    pub(super) from: Side,
    pub(super) at: Timestamp,
    pub(super) bytes: Vec<u8>,
    _room: OwnedSemaphorePermit,
}

/// The end at which pieces come in.
#[derive(Clone)]
pub(super) struct Lane {
    pieces: mpsc::Sender<Piece>,
    room: Arc<Semaphore>,
}

/// Both ends of a lane.
pub(super) fn lane() -> (Lane, mpsc::Receiver<Piece>) {
    let (pieces, receiver) = mpsc::channel(PIECES);
    (Lane { pieces, room: Arc::new(Semaphore::new(ROOM)) }, receiver)
}

impl Lane {
    /// Waits for room, and puts a piece there. If nobody records any more, it is passed over.
    pub(super) async fn put(&self, from: Side, bytes: &[u8]) {
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let Ok(room) = self.room.clone().acquire_many_owned(length).await else { return };
        let piece = Piece { from, at: Timestamp::now(), bytes: bytes.to_vec(), _room: room };
        let _nobody_records = self.pieces.send(piece).await;
    }
}
