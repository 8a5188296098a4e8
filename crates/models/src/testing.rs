//! Servers and replays for the tests of this crate.

pub(crate) mod aimock;
pub(crate) mod replay;
pub(crate) mod server;
