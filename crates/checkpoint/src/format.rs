//! How trees are written: numbers, entries, and lists of entries.

pub(crate) mod bytes;
pub(crate) mod compression;
pub(crate) mod entry;
pub(crate) mod manifest;
