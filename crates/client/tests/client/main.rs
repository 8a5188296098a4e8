//! The kit against a scripted agent over memory, and against real processes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails at the first unexpected value"
)]

mod echo;
mod elicitation;
mod example;
#[path = "../../../check/tests/pages/excerpt.rs"]
mod excerpt;
mod file;
mod gate;
mod handshake;
mod load;
mod many;
#[allow(dead_code, reason = "tests of other crates use the rest")]
#[path = "../../../check/tests/pages/page.rs"]
mod page;
mod permission;
mod permission_broker;
mod process;
mod protocol_pages;
mod scripted_agent;
mod session;
mod stored;
mod terminal;
mod turn;
mod unsaved_text;
mod usage;
mod version_2;
mod version_2_answer;
