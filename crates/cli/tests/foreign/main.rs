//! Ours and others: every conversation of `scenarios/` against our agent and our client and against
//! those written with the official SDKs, then whole programs together, then peers that are killed.
//!
//! The foreign peers are those of `interop/`. One that is missing fails the test: nothing is
//! skipped.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first surprise"
)]

mod agents;
mod clients;
mod deviations;
mod docs;
mod judged;
mod killed;
mod load;
mod npm;
mod our_agent;
mod our_client;
mod peers;
mod probed;
mod process;
mod project;
