//! Every model that the program offers, against a mock of the providers that refuses what they
//! refuse today.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first unexpected result"
)]

mod anthropic;
mod chat;
#[allow(dead_code, reason = "the client of the other tests, used in part")]
#[path = "../coder/client.rs"]
mod client;
mod columns;
mod conversation;
mod gemini;
mod names;
mod refusals;
mod responses;
mod server;
mod table;
