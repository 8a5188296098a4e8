//! The hub against scripted agents over memory.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails at the first unexpected value"
)]

mod checkpoints;
#[cfg(feature = "checkpoints")]
mod closing_checkpoints;
#[cfg(feature = "checkpoints")]
mod folder_checkpoints;
mod handing_over;
mod list;
mod many;
mod next_prompt;
#[cfg(feature = "remote")]
mod outage;
mod queue;
#[cfg(feature = "checkpoints")]
mod recovery;
mod restart;
#[cfg(feature = "checkpoints")]
mod rewind;
#[allow(dead_code, reason = "not every test binary needs all of it")]
#[path = "../client/scripted_agent.rs"]
mod scripted_agent;
#[allow(dead_code, reason = "not every test binary needs all of it")]
mod started;
mod stored;
#[cfg(feature = "checkpoints")]
mod undo_command;
mod usage;
mod version_2;
