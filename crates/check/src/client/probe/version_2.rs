//! Probes of clients over version 2 of the protocol.
//!
//! Rules that are the same in both versions share their probes with version 1.

mod shared;

use super::{ending, envelope, extension, framing};
use crate::client::run::ClientRun;
use crate::judging::probe::Probe;

/// Every probe of version 2, in the order in which they run.
pub(super) const TOPICS: &[&[Probe<ClientRun>]] =
    &[shared::PROBES, framing::PROBES, ending::PROBES, envelope::PROBES, extension::PROBES];
