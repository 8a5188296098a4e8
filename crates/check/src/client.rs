//! Judging clients. The judge plays the agent.

pub(crate) mod client_talk;
mod judge;
pub(crate) mod probe;
pub(crate) mod run;
pub(crate) mod scenario;
mod screen;
pub(crate) mod started_client;
pub(crate) mod task;
mod version_2;
