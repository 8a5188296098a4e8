//! Stored sessions.

pub(crate) mod open_only_store;
pub(crate) mod record_numbers;
pub(crate) mod records;
pub(crate) mod stored_session;
pub(crate) mod stored_sessions;
