//! Parts of plans that both versions share.

use crate::wire::declare::{wire_id, wire_string, wire_struct};

wire_string! {
    /// The priority of a step.
    pub enum PlanEntryPriority closed {
        /// The goal depends on it.
        High = "high",
        /// It matters.
        Medium = "medium",
        /// It is desirable.
        Low = "low",
    }
}

wire_id! {
    /// The id of one of several plans of a session. Unstable.
    pub struct PlanId;
}

wire_struct! {
    /// A plan kept in a file. Unstable.
    pub struct PlanFile {
        /// The id of the plan.
        must plan_id: PlanId = "planId",
        /// The URI of the file.
        must uri: String = "uri",
    }
}

wire_struct! {
    /// A plan written as text. Unstable.
    pub struct PlanMarkdown {
        /// The id of the plan.
        must plan_id: PlanId = "planId",
        /// The text; Markdown.
        must content: String = "content",
    }
}

wire_struct! {
    /// A plan is dropped. Unstable.
    pub struct PlanRemoved {
        /// The id of the plan.
        must plan_id: PlanId = "planId",
    }
}
