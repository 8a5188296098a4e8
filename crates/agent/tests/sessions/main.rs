//! Sessions that outlive their connection, as a client and an author see them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, in its helper functions too"
)]

mod archive;
mod bad_input;
#[path = "../kit/client.rs"]
#[allow(dead_code, reason = "the other tests of the kit use all of it")]
mod client;
mod failing;
mod fork;
mod keeper;
mod load;
mod opening;
mod options;
mod order;
mod resume;
mod same;
mod sqlite;
mod store;
mod system_prompt;
mod title;
mod trouble;
mod version_2;

use client::Client;
use keeper::Keeper;
use store::TestStore;
