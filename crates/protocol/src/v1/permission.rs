//! `session/request_permission`: the agent asks before it runs a tool.

use super::{SessionId, ToolCallUpdate};
use crate::wire::declare::{wire_id, wire_string, wire_struct, wire_union};

wire_id! {
    /// The id of one option of a permission request; it alone carries the decision.
    pub struct PermissionOptionId;
}

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
    /// One option to choose.
    pub struct PermissionOption {
        /// Its id, to be sent back.
        must option_id: PermissionOptionId = "optionId",
        /// Its label.
        must name: String = "name",
        /// The kind of option: a hint for icons and order.
        must kind: PermissionOptionKind = "kind",
    }
}

wire_string! {
    /// The kind of a permission option. A request with an unknown kind fails with -32602.
    pub enum PermissionOptionKind closed {
        /// Allow this call.
        AllowOnce = "allow_once",
        /// Allow this call and remember the choice. The agent decides which later calls it covers.
        AllowAlways = "allow_always",
        /// Refuse this call.
        RejectOnce = "reject_once",
        /// Refuse this call and remember the choice. The agent decides which later calls it covers.
        RejectAlways = "reject_always",
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

wire_struct! {
    /// The option that was chosen.
    pub struct SelectedPermissionOutcome {
        /// Its id: one of those offered.
        must option_id: PermissionOptionId = "optionId",
    }
}
