//! The kit as a client meets it: every rule by what is on the wire.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, in its helper functions too"
)]

mod cancel;
mod client;
mod flow;
mod initialize;
mod options;
mod permission;
mod prompt;
mod session;
mod tester;
mod tool_call;

use client::Client;
use tester::Tester;
