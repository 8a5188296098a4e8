//! The built-in agent as a process, observed on the wire: how fast it responds to a cancellation in
//! each state, how it reports failures of a model, how large its messages are, and which processes
//! remain.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking, also outside of the test functions"
)]

mod agent;
mod cancel;
mod disk;
mod ending;
mod failures;
mod keys;
mod mcp;
mod model;
mod output;
mod private_files;
mod processes;
mod sessions;
