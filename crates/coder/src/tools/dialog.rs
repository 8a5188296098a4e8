//! Tools that reach the person or a subagent.

pub(crate) mod ask;
pub(crate) mod exit_plan;
pub(crate) mod plan;
pub(crate) mod task;
