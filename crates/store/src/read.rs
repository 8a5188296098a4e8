//! Reading: logs, lists and searches.

pub(crate) mod list;
pub(crate) mod log_reader;
pub(crate) mod row;
pub(crate) mod said;
