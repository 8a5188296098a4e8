//! Open folders and their entries, and the spelling of paths, on Windows. Never run on Windows,
//! only under Wine.

pub(crate) mod attributes;
pub(crate) mod errors;
pub(crate) mod folder;
pub(crate) mod names;
mod native;
pub(crate) mod paths;
pub(crate) mod plain;
