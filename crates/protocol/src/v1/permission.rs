//! `session/request_permission`: the agent asks before it runs a tool.

use super::{
    PermissionOption, PermissionOptionId, SelectedPermissionOutcome, SessionId, ToolCallUpdate,
};
use crate::wire::declare::{wire_struct, wire_union};

wire_struct! {
    /// Asks whether a tool call may run.
    pub struct RequestPermissionRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// The call, as a patch of its known state.
        must tool_call: ToolCallUpdate = "toolCall",
        /// The options to choose from. If an option is malformed, the request fails, so that no
        /// partial question is shown.
        must options: Vec<PermissionOption> = "options",
    }
}

wire_struct! {
    /// The answer to a permission request.
    pub struct RequestPermissionResponse {
        /// The decision.
        must outcome: RequestPermissionOutcome = "outcome",
    }
}

wire_union! {
    /// The decision. An unknown outcome means that the call is not approved.
    pub enum RequestPermissionOutcome by "outcome" closed {
        /// The turn was cancelled before an option was chosen.
        Cancelled = "cancelled",
        /// An option was chosen.
        Selected(SelectedPermissionOutcome) = "selected",
    }
}

impl RequestPermissionOutcome {
    /// The chosen option.
    pub fn selected(&self) -> Option<&PermissionOptionId> {
        match self {
            Self::Selected(selected) => Some(&selected.option_id),
            Self::Cancelled | Self::Unknown(_) => None,
        }
    }
}
