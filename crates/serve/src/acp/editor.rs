//! The files that a client on this machine has open, for the agent of a session that it created.

use super::context::{Attached, Context};
use crate::Place;
use attache_client::UnsavedText;
use attache_connection::Peer;
use attache_protocol::method::{FsReadTextFile, FsWriteTextFile};
use attache_protocol::v1::{ReadTextFileRequest, SessionId, WriteTextFileRequest};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;

/// How long an editor may take. After that, the file on disk is used.
const PATIENCE: Duration = Duration::from_secs(10);

/// Lets the agent use the texts in the client's editor, if the client is on this machine and serves
/// files. The hub has checked the permissions before the editor is asked.
pub(super) fn serve_files(context: &Context, attached: &Attached, peer: &Peer) {
    let offered = peer.client_capabilities().unwrap_or_default();
    let (reads, writes) = (offered.fs.read_text_file, offered.fs.write_text_file);
    if context.client.place != Place::Socket || !(reads || writes) {
        return;
    }
    let cwd = attached.session.cwd().to_owned();
    let editor = Editor {
        peer: peer.clone(),
        session: attached.wire.clone(),
        resolved: cwd.canonicalize().unwrap_or_else(|_| cwd.clone()),
        cwd,
        reads,
        writes,
        runtime: Handle::current(),
    };
    attached.use_editor(Arc::new(editor));
}

struct Editor {
    peer: Peer,
    session: SessionId,
    /// The folder of the session as the client named it.
    cwd: PathBuf,
    /// The same folder without symbolic links.
    resolved: PathBuf,
    reads: bool,
    writes: bool,
    runtime: Handle,
}

impl Editor {
    /// The path as the client knows it. `None` if it is not UTF-8.
    fn named(&self, path: &Path) -> Option<String> {
        let named = path.strip_prefix(&self.resolved).map(|below| self.cwd.join(below));
        named.as_deref().unwrap_or(path).to_str().map(str::to_owned)
    }
}

impl UnsavedText for Editor {
    fn text(&self, path: &Path) -> Option<String> {
        let path = self.named(path).filter(|_| self.reads)?;
        let request = ReadTextFileRequest::new(self.session.clone(), path);
        let reading = self.peer.call::<FsReadTextFile>(&request).within(PATIENCE);
        // An editor without the file, or that has gone, leaves it to the disk.
        Some(self.runtime.block_on(reading).ok()?.content)
    }

    fn replace(&self, path: &Path, text: &str) -> bool {
        let Some(path) = self.named(path).filter(|_| self.writes) else { return false };
        let request = WriteTextFileRequest::new(self.session.clone(), path, text);
        let writing = self.peer.call::<FsWriteTextFile>(&request).within(PATIENCE);
        self.runtime.block_on(writing).is_ok()
    }
}
