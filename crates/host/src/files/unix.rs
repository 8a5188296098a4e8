//! Open folders and their entries, and the spelling of paths, on Unix.

pub(crate) mod attributes;
pub(crate) mod errors;
pub(crate) mod folder;
pub(crate) mod names;
pub(crate) mod paths;
pub(crate) mod plain;
