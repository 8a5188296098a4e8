//! Restores: undoes the changes of an owner and keeps those of others. A plan comes first.

pub(crate) mod apply;
pub(crate) mod base;
pub(crate) mod control;
pub(crate) mod disk;
pub(crate) mod draft;
pub(crate) mod error;
pub(crate) mod folders;
pub(crate) mod journal;
pub(crate) mod kept;
pub(crate) mod newness;
pub(crate) mod operation;
pub(crate) mod plan;
pub(crate) mod planner;
pub(crate) mod recovery;
pub(crate) mod restored;
pub(crate) mod restorer;
pub(crate) mod same_entries;
pub(crate) mod undo;
pub(crate) mod value;
