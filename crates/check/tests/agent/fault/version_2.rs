//! Faults in version 2 (V2).

mod entity;
mod option_and_permission;
mod session;
mod turn;

use super::Fault;

/// The faults of each topic.
pub(super) const TOPICS: &[&[Fault]] =
    &[session::FAULTS, turn::FAULTS, entity::FAULTS, option_and_permission::FAULTS];
