//! The hub as an ACP agent: clients over memory, and scripted agents.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails at the first unexpected value"
)]

mod client;
mod files;
mod hub_terminals;
mod one_agent;
mod opening;
mod questions;
mod scopes;
#[allow(dead_code, reason = "not every test binary needs all of it")]
#[path = "../../../client/tests/client/scripted_agent.rs"]
mod scripted_agent;
mod shared;
mod terminals;
mod turns;
mod version_2;
