//! The judge's end of a connection, and the ways to connect.

pub(crate) mod line;
pub(crate) mod link;
pub(crate) mod loopback;
pub(crate) mod raw_peer;
pub(crate) mod relay;
pub(crate) mod script;
