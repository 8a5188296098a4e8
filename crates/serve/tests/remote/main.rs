//! Remote ACP over loopback: our clients and others against `acp_routes_with`, which here serves an
//! echo agent.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, also outside of the test functions"
)]

mod clients;
mod echo_agent;
mod limits;
mod official;
mod raw_requests;
mod reconnecting;
mod server;
mod slow;
mod stalling;
mod stalling_relay;
