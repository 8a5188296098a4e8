//! Probes of clients over version 2 of the protocol.
//!
//! Rules that are the same in both versions share their probes with version 1.

mod config_option;
mod gate;
mod initialize;
mod shared;
mod state;
mod update;
mod withdrawal;

use super::{ending, envelope, extension, framing};
use crate::client::run::ClientRun;
use crate::judging::probe::Probe;

/// Every probe of version 2, in the order in which they run.
pub(super) const TOPICS: &[&[Probe<ClientRun>]] = &[
    initialize::PROBES,
    shared::PROBES,
    state::PROBES,
    update::PROBES,
    withdrawal::PROBES,
    framing::PROBES,
    ending::PROBES,
    envelope::PROBES,
    extension::PROBES,
    gate::PROBES,
    config_option::PROBES,
];
