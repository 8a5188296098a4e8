//! The built-in agent, served by the kit to a raw client that sees every line.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first surprise"
)]

mod client;
mod commands;
mod files;
mod permissions;
mod projects;
mod sessions;
mod verbs;
