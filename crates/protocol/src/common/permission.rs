//! The answers that the agent offers when it asks for permission.

use crate::wire::declare::{wire_id, wire_string, wire_struct};

wire_id! {
    /// The id of one option of a permission request; it alone carries the decision.
    pub struct PermissionOptionId;
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
    /// The kind of a permission option. In version 1, a request with an unknown kind fails with
    /// -32602.
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
    /// The option that was chosen.
    pub struct SelectedPermissionOutcome {
        /// Its id: one of those offered.
        must option_id: PermissionOptionId = "optionId",
    }
}
