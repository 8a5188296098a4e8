//! Tests of the store of checkpoints.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, also outside of the test functions"
)]

mod budget;
mod damage;
mod git;
mod histories;
mod kinds;
mod limits;
mod other_user;
mod processes;
mod project;
