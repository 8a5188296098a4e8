//! The rules of the protocol as data.

pub(crate) mod rule;
pub(crate) mod selection;
pub(crate) mod table;
