//! Tests of the built-in agent, served by the agent kit to a client that reads every line.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first unexpected result"
)]

mod attachments;
mod client;
mod commands;
mod compaction;
mod configured;
#[path = "../../../check/tests/pages/excerpt.rs"]
mod excerpt;
mod failures;
mod fallback;
mod features;
mod fetch;
mod files;
mod mcp;
mod mcp_calls;
mod mcp_place;
mod mcp_reference;
mod models;
mod options;
#[path = "../../../check/tests/pages/page.rs"]
mod page;
mod parallel;
mod permissions;
mod prefix;
mod projects;
mod protocol_pages;
mod provider;
mod questions;
#[allow(dead_code, reason = "the provider of the unit tests, used in part")]
#[path = "../../../models/src/testing/server.rs"]
mod server;
mod sessions;
mod slash;
mod spending;
mod tasks;
mod titles;
mod todays_servers;
mod verbs;
mod version_2;
mod windows;
