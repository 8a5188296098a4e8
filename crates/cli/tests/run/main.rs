//! The command as a whole: the real program, real processes, real files.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking, also outside of the test functions"
)]

mod demo;
mod exit;
mod faces;
mod project;
mod rules;
mod script;
mod sessions;
mod stopping;
mod terminal;
