//! The kit from a client's view: every rule, tested on the wire.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, in its helper functions too"
)]

mod acts;
mod auth;
mod cancel;
mod cancel_states;
mod client;
mod compaction;
mod elicitation;
mod extension;
mod files;
mod flow;
mod handle;
mod initialize;
mod locks;
mod log;
mod matrix;
mod options;
mod parallel;
mod permission;
mod plan;
mod prompt;
mod providers;
mod session;
mod spelling;
mod subagent;
mod terminal;
mod tester;
mod tokens;
mod tool_call;
mod version_2;
mod wire;

use acts::{Notes, acts};
use client::Client;
use tester::Tester;
