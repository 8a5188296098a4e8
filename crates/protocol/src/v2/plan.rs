//! Plans: the intended steps of the agent.

use super::{PlanEntryPriority, PlanFile, PlanId, PlanMarkdown};
use crate::wire::declare::{wire_string, wire_struct, wire_union};

wire_struct! {
    /// A plan is created or replaced.
    pub struct PlanUpdate {
        /// The plan.
        must plan: PlanUpdateContent = "plan",
    }
}

wire_union! {
    /// The content of a plan.
    pub enum PlanUpdateContent by "type" open {
        /// Steps.
        Items(PlanItems) = "items",
        /// A file. Unstable.
        File(PlanFile) = "file",
        /// Markdown. Unstable.
        Markdown(PlanMarkdown) = "markdown",
    }
}

wire_struct! {
    /// The steps of a plan.
    pub struct PlanItems {
        /// The plan.
        must plan_id: PlanId = "planId",
        /// All its steps in order. Malformed ones are skipped.
        must_list entries: Vec<PlanEntry> = "entries",
    }
}

wire_struct! {
    /// One step.
    pub struct PlanEntry {
        /// What is to be done.
        must content: String = "content",
        /// How important it is.
        must priority: PlanEntryPriority = "priority",
        /// How far it is.
        must status: PlanEntryStatus = "status",
    }
}

wire_string! {
    /// How far a step is.
    pub enum PlanEntryStatus open {
        /// Not begun.
        Pending = "pending",
        /// Begun.
        InProgress = "in_progress",
        /// Done.
        Completed = "completed",
        /// Given up.
        Cancelled = "cancelled",
    }
}
