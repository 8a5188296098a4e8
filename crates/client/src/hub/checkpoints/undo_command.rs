//! The command `/undo` of an agent that leaves undoing to the hub.

use super::requested_undo::{COMMAND, RequestedUndo};
use crate::agent::undo_requests::UndoHandler;
use crate::hub::hub_session::HubSession;
use crate::hub::hub_shared::HubShared;
use crate::hub::session_entry::SessionEntry;
use crate::session::turn_tracker::TurnPhase;
use attache_protocol::v1::SessionId;
use std::sync::Arc;

/// Returns the handler of an agent's requests to undo. It serves one request in each turn whose
/// prompt is the command, so that no agent can revert files by itself. The prompt decides whether
/// the undo is forced.
pub(crate) fn undo_handler(hub: &Arc<HubShared>, agent: &str) -> UndoHandler {
    let (hub, agent) = (Arc::downgrade(hub), agent.to_owned());
    Arc::new(move |id: SessionId| {
        let hub = hub.upgrade();
        let session = hub.and_then(|hub| Some(HubSession::new(hub.session(&agent, &id)?, &hub)));
        Box::pin(async move {
            let session = session.ok_or_else(|| format!("the session {id} is not open"))?;
            let requested = take_requested(&session.entry).ok_or_else(|| {
                format!(
                    "each prompt {COMMAND} of the person undoes one turn, once and until it ends"
                )
            })?;
            let undone = session.undo_turn_before(requested.is_forced).await;
            undone.map(|undone| undone.to_string()).map_err(|error| error.to_string())
        })
    })
}

/// Takes the undo for which the prompt of the running turn asks; `None` if it asks for none, it was
/// taken before, or the turn was cancelled or is over.
fn take_requested(entry: &SessionEntry) -> Option<RequestedUndo> {
    let mut state = entry.state();
    let phase = state.turn.as_ref()?.phases().borrow().clone();
    matches!(phase, TurnPhase::Running).then(|| state.undo.take()).flatten()
}
