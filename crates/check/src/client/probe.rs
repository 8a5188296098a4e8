//! Probes of clients: each judges one rule by playing the agent that the client talks to.
//!
//! A probe is an async function that takes a [`ClientRun`] and returns `Ok` if the client follows
//! the rule. Each topic has one file, in which `probes!` lists the probes of the topic and the rule
//! that each probe judges. If several probes judge the same rule, the worst outcome counts.

mod authenticate;
mod cancel;
mod config_option;
mod decoding;
mod elicitation;
mod ending;
mod envelope;
mod extension;
mod file;
mod framing;
mod initialize;
mod mcp;
mod mode;
mod notice;
mod permission;
mod plan;
mod prompt;
mod session;
mod session_list;
mod terminal;
mod tool_call;
mod ungated;
mod unoffered;
mod version_2;

use crate::client::run::ClientRun;
use crate::judging::probe::Probe;
use attache_protocol::v1::ProtocolVersion;

/// Every probe of version 1, in the order in which they run.
const TOPICS: &[&[Probe<ClientRun>]] = &[
    initialize::PROBES,
    unoffered::PROBES,
    file::PROBES,
    terminal::PROBES,
    permission::PROBES,
    elicitation::PROBES,
    tool_call::PROBES,
    plan::PROBES,
    notice::PROBES,
    mcp::PROBES,
    framing::PROBES,
    ending::PROBES,
    envelope::PROBES,
    extension::PROBES,
    authenticate::PROBES,
    ungated::PROBES,
    session::PROBES,
    session_list::PROBES,
    prompt::PROBES,
    cancel::PROBES,
    mode::PROBES,
    config_option::PROBES,
    decoding::PROBES,
];

/// Returns the probes of this version, in the order in which they run.
pub(crate) fn of_version(
    version: ProtocolVersion,
) -> impl Iterator<Item = &'static Probe<ClientRun>> {
    let topics = if version >= ProtocolVersion::V2 { version_2::TOPICS } else { TOPICS };
    topics.iter().copied().flatten()
}

/// Returns the probes of every version, each once.
pub(crate) fn all() -> impl Iterator<Item = &'static Probe<ClientRun>> {
    let is_new = |probe: &&Probe<ClientRun>| {
        of_version(ProtocolVersion::V1)
            .all(|other| (other.rule, other.name) != (probe.rule, probe.name))
    };
    of_version(ProtocolVersion::V1).chain(of_version(ProtocolVersion::V2).filter(is_new))
}
