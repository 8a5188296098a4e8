//! What the editor that created a session serves for its agent: files and terminals.

use super::context::{Attached, Context};
use super::editor_files::EditorFiles;
use super::editor_terminals::TerminalsOfEditor;
use super::session_folder::SessionFolder;
use crate::Place;
use attache_connection::Peer;
use std::sync::Arc;

/// Lets the agent use the texts and the terminals of the client that created the session, as far as
/// the client is on this machine and offers them. The hub has checked the permissions before the
/// client is asked.
pub(super) fn serve(context: &Arc<Context>, attached: &Arc<Attached>, peer: &Peer) {
    if context.client.place != Place::Socket {
        return;
    }
    let offered = peer.client_capabilities().unwrap_or_default();
    let folder = SessionFolder::of(attached.session.cwd());
    let (reads, writes) = (offered.fs.read_text_file, offered.fs.write_text_file);
    let files = (reads || writes).then(|| {
        EditorFiles::new(peer.clone(), attached.wire.clone(), folder.clone(), (reads, writes))
    });
    let terminals =
        offered.terminal.then(|| TerminalsOfEditor::new(context, attached, peer.clone(), folder));
    attached.use_editor(
        files.map(|files| Arc::new(files) as _),
        terminals.map(|terminals| Arc::new(terminals) as _),
    );
}
