//! Stored sessions.

pub(crate) mod checkpoint;
pub(crate) mod open_only_store;
pub(crate) mod records;
pub(crate) mod stored_session;
pub(crate) mod stored_sessions;
