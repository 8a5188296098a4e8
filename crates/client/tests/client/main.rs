//! The kit against a scripted agent over memory, and against real processes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first surprise"
)]

mod echo;
mod example;
mod file;
mod handshake;
mod load;
mod many;
mod permission;
mod process;
mod scripted_agent;
mod session;
mod stored;
mod turn;
mod usage;
