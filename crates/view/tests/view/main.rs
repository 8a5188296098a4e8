//! The view of sessions, from events to rows.

mod session_view;

#[path = "../../../session/tests/session/sequences.rs"]
mod sequences;
