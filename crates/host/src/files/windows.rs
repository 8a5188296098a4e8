//! Open folders and their entries, and the spelling of paths, on Windows.

pub(crate) mod attributes;
pub(crate) mod errors;
pub(crate) mod folder;
pub(crate) mod names;
mod native;
pub(crate) mod paths;
pub(crate) mod plain;
