//! Restores and reviews of real folders.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking, also outside of the test functions"
)]

mod authors;
mod changes;
mod choices;
mod deleted;
mod faults;
mod left_out;
mod properties;
mod restores;
mod reviews;
mod stopping;
mod world;
