//! Probes of version 2 (V2), a draft. Probes of rules that hold in both versions are in the topics
//! beside this folder.

mod authenticate;
mod config_option;
pub(super) mod driven;
mod elicitation;
mod entity;
mod error_data;
mod initialize;
mod mcp;
mod permission;
mod prompt;
mod refusal;
mod replay;
mod session;
mod state;

use crate::agent::run::Run;
use crate::judging::probe::Probe;

/// The probes of each topic, in the order in which they run.
pub(super) const TOPICS: &[&[Probe<Run>]] = &[
    initialize::PROBES,
    authenticate::PROBES,
    session::PROBES,
    error_data::PROBES,
    prompt::PROBES,
    refusal::PROBES,
    state::PROBES,
    entity::PROBES,
    config_option::PROBES,
    permission::PROBES,
    elicitation::PROBES,
    replay::PROBES,
    mcp::PROBES,
];
