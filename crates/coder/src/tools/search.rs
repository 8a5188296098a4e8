//! Tools that find files, and lines in them.

pub(crate) mod glob;
pub(crate) mod grep;
pub(crate) mod list;
pub(crate) mod reading;
pub(crate) mod walk;
