//! The files of one session, used by one request at a time.

use attache_policy::Folders;
use std::sync::Arc;
use tokio::sync::{Mutex, OwnedMutexGuard};

/// The files of one session. The disk is waited for off the reading task.
#[derive(Debug, Clone)]
pub(crate) struct SessionFiles(Arc<Mutex<Option<Arc<Folders>>>>);

/// A request's turn: no other request of the session reads or writes meanwhile.
pub(crate) type FileTurn = OwnedMutexGuard<Option<Arc<Folders>>>;

impl SessionFiles {
    /// Inside these folders.
    pub(crate) fn new(folders: Arc<Folders>) -> Self {
        Self(Arc::new(Mutex::new(Some(folders))))
    }

    /// Of a session that is not set up yet: none can be used.
    pub(crate) fn none() -> Self {
        Self(Arc::default())
    }

    /// Its first poll, which the connection makes in wire order, takes the place in the queue.
    pub(crate) async fn turn(self) -> FileTurn {
        self.0.lock_owned().await
    }
}
