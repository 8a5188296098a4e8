//! The answer to `elicitation/create`.

use crate::wire::declare::{wire_struct, wire_union};
use crate::{Map, Raw};

wire_struct! {
    /// The answer to an elicitation.
    pub struct CreateElicitationResponse {
        /// The user's action. Its members are written directly into the response.
        flat action: ElicitationAction = "action",
    }
}

wire_union! {
    /// The user's action. Unknown actions are kept, and never treated as one of the known ones.
    pub enum ElicitationAction by "action" open {
        /// The user gave the input, or agreed to open the page.
        Accept(ElicitationAcceptAction) = "accept",
        /// The user declined.
        Decline = "decline",
        /// The user dismissed the question.
        Cancel = "cancel",
    }
}

wire_struct! {
    /// The input.
    pub plain struct ElicitationAcceptAction {
        /// The form's values by field, as JSON of any type. Both sides check them against the form.
        strict content: Option<Map<Raw>> = "content",
    }
}
