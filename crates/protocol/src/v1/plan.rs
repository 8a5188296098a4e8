//! Plans: the intended steps of the agent. `plan_update` and `plan_removed` are unstable.

use super::{PlanEntryPriority, PlanFile, PlanId, PlanMarkdown};
use crate::wire::declare::{wire_string, wire_struct, wire_union};

wire_struct! {
    /// The whole plan of the session. Each plan replaces the previous one.
    pub struct Plan {
        /// The steps. Those with an unknown priority or status are skipped.
        must_items entries: Vec<PlanEntry> = "entries",
    }
}

wire_struct! {
    /// One step of a plan.
    pub struct PlanEntry {
        /// A human-readable description of the step.
        must content: String = "content",
        /// The priority of the step.
        must priority: PlanEntryPriority = "priority",
        /// Its status.
        must status: PlanEntryStatus = "status",
    }
}

wire_string! {
    /// The status of a step.
    pub enum PlanEntryStatus closed {
        /// Not started.
        Pending = "pending",
        /// In progress.
        InProgress = "in_progress",
        /// Completed.
        Completed = "completed",
    }
}

wire_struct! {
    /// One of several plans. Replaces only the plan with the same id. Unstable.
    pub struct PlanUpdate {
        /// The plan.
        must plan: PlanUpdateContent = "plan",
    }
}

wire_union! {
    /// A plan in one of three forms, which may change from update to update. Unstable.
    pub enum PlanUpdateContent by "type" closed {
        /// Steps.
        Items(PlanItems) = "items",
        /// A file that holds the plan.
        File(PlanFile) = "file",
        /// A text.
        Markdown(PlanMarkdown) = "markdown",
    }
}

impl PlanUpdateContent {
    /// The id of the plan; `None` for a form that this version does not know.
    pub fn plan_id(&self) -> Option<&PlanId> {
        match self {
            Self::Items(plan) => Some(&plan.plan_id),
            Self::File(plan) => Some(&plan.plan_id),
            Self::Markdown(plan) => Some(&plan.plan_id),
            Self::Unknown(_) => None,
        }
    }
}

wire_struct! {
    /// A plan made of steps. Unstable.
    pub struct PlanItems {
        /// The id of the plan.
        must plan_id: PlanId = "planId",
        /// Its steps; malformed ones are skipped.
        must_items entries: Vec<PlanEntry> = "entries",
    }
}
