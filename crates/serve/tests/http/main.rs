//! The HTTP server on loopback: who gets in, and what it survives.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, also outside of the test functions"
)]

mod attacks;
mod limits;
mod login;
mod page;
mod revoking;
mod test_server;
mod tls;
