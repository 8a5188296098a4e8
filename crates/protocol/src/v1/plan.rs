//! Plans: the intended steps of the agent. `plan_update` and `plan_removed` are unstable.

use crate::wire::declare::{wire_id, wire_string, wire_struct, wire_union};

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

wire_id! {
    /// The id of one of several plans of a session. Unstable.
    pub struct PlanId;
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
