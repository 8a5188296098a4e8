//! Taking a checkpoint.

mod assembly;
pub(crate) mod budget;
mod completing;
pub(crate) mod control;
mod folder;
mod gather;
mod lacks;
pub(crate) mod left_out;
mod listing;
mod reading;
pub(crate) mod roots;
mod rules;
mod stamp;
pub(crate) mod stat_cache;
pub(crate) mod take_lock;
pub(crate) mod taking;
mod walk;
