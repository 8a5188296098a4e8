//! The files that a client on this machine has open, for the agent of a session that it created.

use super::session_folder::SessionFolder;
use attache_client::UnsavedText;
use attache_connection::Peer;
use attache_protocol::method::{FsReadTextFile, FsWriteTextFile};
use attache_protocol::v1::{ReadTextFileRequest, SessionId, WriteTextFileRequest};
use std::path::Path;
use std::time::Duration;
use tokio::runtime::Handle;

/// How long an editor may take. After that, the file on disk is used.
const PATIENCE: Duration = Duration::from_secs(10);

/// The files of an editor.
pub(super) struct EditorFiles {
    peer: Peer,
    session: SessionId,
    folder: SessionFolder,
    reads: bool,
    writes: bool,
    runtime: Handle,
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
        Self { peer, session, folder, reads, writes, runtime: Handle::current() }
    }
}

impl UnsavedText for EditorFiles {
    fn text(&self, path: &Path) -> Option<String> {
        let path = self.folder.named(path).filter(|_| self.reads)?;
        let request = ReadTextFileRequest::new(self.session.clone(), path);
        let reading = self.peer.call::<FsReadTextFile>(&request).within(PATIENCE);
        // An editor without the file, or that has gone, leaves it to the disk.
        Some(self.runtime.block_on(reading).ok()?.content)
    }

    fn replace(&self, path: &Path, text: &str) -> bool {
        let Some(path) = self.folder.named(path).filter(|_| self.writes) else { return false };
        let request = WriteTextFileRequest::new(self.session.clone(), path, text);
        let writing = self.peer.call::<FsWriteTextFile>(&request).within(PATIENCE);
        self.runtime.block_on(writing).is_ok()
    }
}
