//! The view of sessions, from events to rows.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod earlier_pages;
mod restoring;
mod session_view;

#[path = "../../../session/tests/session/sequences.rs"]
mod sequences;
