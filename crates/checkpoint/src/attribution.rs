//! Who changed what: an owner in its turns, the person between them, or it is not known.

pub(crate) mod activity;
pub(crate) mod author;
pub(crate) mod authors;
#[cfg(test)]
mod cost_tests;
pub(crate) mod follower;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod timeline;
pub(crate) mod trees;
