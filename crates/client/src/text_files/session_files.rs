//! The files of one session, used by one request at a time.

use attache_policy::Folders;
use std::sync::Arc;
use tokio::sync::{Mutex, OwnedMutexGuard};

/// The files of one session. The reading task does not wait for the disk when it serves a request.
#[derive(Debug, Clone)]
pub(crate) struct SessionFiles(Arc<Mutex<Option<Arc<Folders>>>>);

/// A request's turn: no other request of the session reads or writes during it.
pub(crate) type FileTurn = OwnedMutexGuard<Option<Arc<Folders>>>;

impl SessionFiles {
    /// The files inside these folders.
    pub(crate) fn new(folders: Arc<Folders>) -> Self {
        Self(Arc::new(Mutex::new(Some(folders))))
    }

    /// No files, for a session that is not set up.
    pub(crate) fn none() -> Self {
        Self(Arc::default())
    }

    /// Waits for the turn. The first poll, which the connection makes in wire order, takes a place
    /// in the queue.
    pub(crate) async fn turn(self) -> FileTurn {
        self.0.lock_owned().await
    }
}
