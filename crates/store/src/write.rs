//! Writing: logs that are open, and the one thread that stores them.

pub(crate) mod live_log;
pub(crate) mod log;
pub(crate) mod promise;
pub(crate) mod transaction;
pub(crate) mod writer;
