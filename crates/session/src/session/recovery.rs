//! Closes everything that a writer left open when it died.

use crate::{EntryContent, EventBody, Session, ToolCallPatch, TurnOutcome, TurnState};
use attache_protocol::v1::{CompactionStatus, CompactionUpdate, RequestPermissionOutcome};
use attache_protocol::v2::ToolCallStatus;
use attache_protocol::{Error, Patch};

/// The error message for everything that was open.
const ENDED: &str = "the agent ended while this turn ran";

impl Session {
    /// Returns the events to append to the log of a session whose writer died, so that nothing
    /// stays open: open permission requests are cancelled, unfinished tool calls and compactions
    /// fail, and a running turn fails with `-32603`. Returns no events if nothing is open, which is
    /// also the case after these events are applied.
    ///
    /// Entries that were dropped from memory ([`Session::truncated_before`]) and unknown statuses
    /// do not change.
    pub fn recovery_events(&self) -> Vec<EventBody> {
        let permissions = self.open_permissions().map(|permission| EventBody::PermissionSettled {
            id: permission.id,
            outcome: RequestPermissionOutcome::Cancelled,
        });
        let entries = self.entries().iter().filter_map(|entry| match &entry.content {
            EntryContent::ToolCall(call) => {
                let is_known = !matches!(call.status, ToolCallStatus::Unknown(_));
                let open = is_known && !call.is_settled();
                open.then(|| {
                    let id = call.tool_call_id.clone();
                    let mut patch = ToolCallPatch::with_status(id, ToolCallStatus::Failed);
                    if call.capabilities.is_some() {
                        // V2-43.
                        patch.capabilities = Patch::Clear;
                    }
                    EventBody::ToolCallUpdate(patch)
                })
            }
            EntryContent::Compaction(compaction) => {
                let open = compaction.status == CompactionStatus::InProgress;
                open.then(|| {
                    EventBody::Compaction(CompactionUpdate {
                        error: Patch::Set(ENDED.to_owned()),
                        ..CompactionUpdate::new(compaction.id.clone(), CompactionStatus::Failed)
                    })
                })
            }
            _ => None,
        });
        let mut bodies: Vec<_> = permissions.chain(entries).collect();
        if matches!(self.turn(), TurnState::Running { .. }) {
            let outcome = TurnOutcome::Failed(Error::internal(ENDED));
            bodies.push(EventBody::TurnEnded { outcome, usage: None });
        }
        bodies
    }
}
