//! The methods `_attache/*` over memory, with scripted agents.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails at the first unexpected value"
)]

mod answering;
mod attached;
mod commands;
mod hub_watch;
mod negotiation;
mod reviewing;
#[allow(dead_code, reason = "not every test binary needs all of it")]
#[path = "../../../client/tests/client/scripted_agent.rs"]
mod scripted_agent;
mod searching;
mod session_watch;
#[allow(dead_code, reason = "not every test binary needs all of it")]
#[path = "../../../client/tests/hub/started.rs"]
mod started;
mod streaming;
mod tracing;
