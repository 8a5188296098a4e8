//! Tools that talk to the person or run a subagent.

pub(crate) mod ask;
pub(crate) mod exit_plan;
pub(crate) mod plan;
pub(crate) mod task;
