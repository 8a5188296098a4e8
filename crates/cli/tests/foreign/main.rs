//! Our programs and foreign ones: every conversation of `scenarios/` against our agent and client
//! and those made with the official SDKs, then whole programs together, then peers that are killed.
//!
//! The foreign peers are those of `interop/`. A missing peer fails the test: nothing is skipped.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, also outside of the test functions"
)]

mod agents;
mod clients;
mod deviations;
mod docs;
mod hub;
mod judgements;
mod killed;
mod known_failures;
mod load;
mod npm;
mod our_agent;
mod our_client;
mod peers;
mod process;
mod project;
#[path = "../shared/pseudo_terminal.rs"]
mod pseudo_terminal;
#[path = "../shared/screen.rs"]
mod screen_program;
mod servers;
mod shared_hub;
mod support_docs;
mod version_2;
