//! The files that a client on this machine has open, for the agent of a session that it created.

use super::session_folder::SessionFolder;
use attache_client::UnsavedText;
use attache_connection::{CallError, Peer};
use attache_protocol::method::{Call, FsReadTextFile, FsWriteTextFile};
use attache_protocol::v1::{ReadTextFileRequest, SessionId, WriteTextFileRequest};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::runtime::Handle;

/// How long an editor may take. After that, the file on disk is used.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long an editor that took too long is not asked, so that one that hangs does not delay every
/// call.
const PAUSE: Duration = Duration::from_secs(60);

/// The files of an editor.
pub(super) struct EditorFiles {
    peer: Peer,
    session: SessionId,
    folder: SessionFolder,
    reads: bool,
    writes: bool,
    runtime: Handle,
    /// When the editor took too long, if that was its last call. One call is made at a time.
    late: Mutex<Option<Instant>>,
}

impl EditorFiles {
    /// The files of the client that knows the session by this id, and whether it reads and writes
    /// them.
    pub(super) fn new(
        peer: Peer,
        session: SessionId,
        folder: SessionFolder,
        (reads, writes): (bool, bool),
    ) -> Self {
        Self {
            peer,
            session,
            folder,
            reads,
            writes,
            runtime: Handle::current(),
            late: Mutex::default(),
        }
    }

    /// Asks the editor; `None` if it fails. After it took too long, it is not asked for a while.
    fn ask<M: Call>(&self, params: &M::Params) -> Option<M::Result> {
        let mut late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        if late.is_some_and(|late| late.elapsed() < PAUSE) {
            return None;
        }
        let reply = self.runtime.block_on(self.peer.call::<M>(params).within(PATIENCE));
        *late = matches!(reply, Err(CallError::TimedOut { .. })).then(Instant::now);
        reply.ok()
    }
}

impl UnsavedText for EditorFiles {
    fn text(&self, path: &Path) -> Option<String> {
        let path = self.folder.named(path).filter(|_| self.reads)?;
        let request = ReadTextFileRequest::new(self.session.clone(), path);
        // An editor without the file, or that has gone, leaves it to the disk.
        Some(self.ask::<FsReadTextFile>(&request)?.content)
    }

    fn replace(&self, path: &Path, text: &str) -> bool {
        let Some(path) = self.folder.named(path).filter(|_| self.writes) else { return false };
        let request = WriteTextFileRequest::new(self.session.clone(), path, text);
        self.ask::<FsWriteTextFile>(&request).is_some()
    }
}
