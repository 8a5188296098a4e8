//! What the editor that created a session serves for its agent: files and terminals.

use super::context::{Attached, Context, name};
use super::editor_files::EditorFiles;
use super::editor_terminals::TerminalsOfEditor;
use super::session_folder::SessionFolder;
use crate::acp_sessions::SessionName;
use crate::session_editors::{Claim, Offer};
use crate::{Place, Scope};
use attache_connection::Peer;
use std::sync::Arc;

/// Lets the agent use the texts and the terminals of the client that created the session, as far as
/// the client is on this machine and offers them. The hub has checked the permissions before the
/// client is asked.
pub(super) fn serve(context: &Arc<Context>, attached: &Arc<Attached>, peer: &Peer) {
    serve_as(context, attached, peer, Claim::Opened(attached.folders.editor.clone()));
}

/// Does the same for a client that created the session from an earlier connection, as its key
/// shows. If no editor is known, because the hub was started since, the key is believed.
pub(super) fn serve_again(context: &Arc<Context>, attached: &Arc<Attached>, peer: &Peer) {
    let key = attached.folders.editor.clone().filter(|_| context.client.may(Scope::Control));
    if let Some(key) = key {
        serve_as(context, attached, peer, Claim::Again(key));
    }
}

fn serve_as(context: &Arc<Context>, attached: &Arc<Attached>, peer: &Peer, claim: Claim) {
    if context.client.place != Place::Socket {
        return;
    }
    let offered = peer.client_capabilities().unwrap_or_default();
    let folder = SessionFolder::of(attached.session.cwd());
    let (reads, writes) = (offered.fs.read_text_file, offered.fs.write_text_file);
    if !(reads || writes || offered.terminal) {
        return;
    }
    let files = (reads || writes).then(|| {
        EditorFiles::new(peer.clone(), attached.wire.clone(), folder.clone(), (reads, writes))
    });
    let terminals =
        offered.terminal.then(|| TerminalsOfEditor::new(context, attached, peer.clone(), folder));
    let offer = Offer {
        texts: files.map(|files| Arc::new(files) as _),
        terminals: terminals.map(|terminals| Arc::new(terminals) as _),
    };
    let shared = &context.shared;
    let is_open = |name: &SessionName| shared.hub.session(&name.agent, &name.id).is_some();
    let session = (name(&attached.session), &attached.session);
    if let Some(serving) = shared.editors.serve(session, claim, offer, is_open) {
        attached.keep_serving(serving);
    }
}
