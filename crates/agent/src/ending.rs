//! What is open when a turn ends, and how it is settled.

use crate::open_session::OpenSession;
use crate::state::{RunningTurn, State};
use attache_protocol::v1::{RequestPermissionOutcome, ToolCallStatus, ToolCallUpdate};
use attache_session::EventBody;

impl OpenSession {
    /// Settles what the turn left open, before its reply is queued: subagents stop first, as they
    /// speak within the turn, then tool calls have failed (TOOL-09), compactions are over
    /// (COMP-03), questions withdrawn, terminals released (TERM-10).
    pub(crate) fn settle(&self, state: &mut State, turn: RunningTurn, cancelled: bool) {
        for child in turn.open_subagents {
            // If the connection is over, nobody needs to know; likewise below.
            let _ = self.stop_subagent(state, &child, crate::subagent::left_open(cancelled));
        }
        for id in turn.open_calls {
            let mut update = ToolCallUpdate::new(id);
            update.status = Some(ToolCallStatus::Failed);
            let _ = self.post(state, EventBody::ToolCallUpdate(update));
        }
        for compaction in turn.open_compactions {
            let _ = self.post(state, EventBody::Compaction(compaction.left_open(cancelled)));
        }
        for id in turn.open_questions {
            state.record(EventBody::PermissionSettled {
                id,
                outcome: RequestPermissionOutcome::Cancelled,
            });
        }
        for id in turn.open_terminals {
            self.release(&id);
        }
    }
}
