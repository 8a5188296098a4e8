//! Reads and writes JSON text.

pub(crate) mod fault;
pub(crate) mod plain;
pub(crate) mod reader;
pub(crate) mod skip;
pub(crate) mod writer;
