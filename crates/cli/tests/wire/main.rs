//! The built-in agent as a process, watched on the wire the way the agents of the field were
//! measured: how fast a cancel is answered in each state, what a model's failure becomes, how large
//! a message gets, and which processes are left.

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
