//! The JSON-RPC envelope: messages, ids and errors.

pub mod envelope;
pub(crate) mod error;
pub(crate) mod id;
