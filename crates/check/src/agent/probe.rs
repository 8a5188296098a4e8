//! Probes of agents: each judges one rule by talking to the agent.
//!
//! A probe is an async function that takes a [`Run`] and returns `Ok` if the agent follows the
//! rule. Each topic has one file, in which `probes!` lists the probes of the topic and the rule
//! that each probe judges. If several probes judge the same rule, the worst outcome counts.

mod archive;
mod authenticate;
mod bare_client;
mod cancel;
mod cancel_state;
mod capability;
mod command;
mod compaction;
mod config_option;
mod decoding;
mod directory;
mod driven;
mod during_turn;
mod elicitation;
mod ending;
mod extension;
mod file;
mod fork;
mod framing;
mod history;
mod initialize;
mod long_command;
mod mcp;
mod message;
mod mode;
mod notice;
mod option_value;
mod permission;
mod plan;
mod prompt;
mod provider;
mod replay;
mod request;
mod roots;
mod session;
mod session_delete;
mod session_list;
mod setting;
mod status;
mod system_prompt;
mod terminal;
mod title;
mod tool_call;
mod tool_kind;
mod turn;
mod usage;
mod version_2;

use crate::agent::run::Run;
use crate::judging::probe::Probe;
use attache_protocol::v1::ProtocolVersion;

/// Every probe, in the order in which they run. A topic comes after the topics that it depends on.
const TOPICS: &[&[Probe<Run>]] = &[
    initialize::PROBES,
    framing::PROBES,
    request::PROBES,
    extension::PROBES,
    capability::PROBES,
    decoding::PROBES,
    authenticate::PROBES,
    session::PROBES,
    directory::PROBES,
    session_list::PROBES,
    session_delete::PROBES,
    archive::PROBES,
    status::PROBES,
    title::PROBES,
    fork::PROBES,
    system_prompt::PROBES,
    provider::PROBES,
    mode::PROBES,
    config_option::PROBES,
    setting::PROBES,
    prompt::PROBES,
    turn::PROBES,
    message::PROBES,
    usage::PROBES,
    tool_call::PROBES,
    tool_kind::PROBES,
    permission::PROBES,
    file::PROBES,
    terminal::PROBES,
    plan::PROBES,
    roots::PROBES,
    during_turn::PROBES,
    command::PROBES,
    compaction::PROBES,
    notice::PROBES,
    history::PROBES,
    replay::PROBES,
    elicitation::PROBES,
    mcp::PROBES,
    cancel::PROBES,
    cancel_state::PROBES,
    bare_client::PROBES,
    long_command::PROBES,
    ending::PROBES,
];

/// The rules outside the group V2 that also hold in version 2, apart from the group RPC.
const IN_BOTH_VERSIONS: &[&str] = &["EXT-02", "EXT-03", "META-02", "CANCEL-16", "CANCEL-17"];

/// The rules of the group RPC that hold only in version 1, in which the reply to a prompt ends the
/// turn.
const ONLY_IN_VERSION_1: &[&str] = &["RPC-29"];

/// Every probe, in the order in which they run.
pub(crate) fn all() -> impl Iterator<Item = &'static Probe<Run>> {
    TOPICS.iter().chain(version_2::TOPICS).copied().flatten()
}

/// Every probe of a rule that holds in this version.
pub(crate) fn of(version: ProtocolVersion) -> impl Iterator<Item = &'static Probe<Run>> {
    all().filter(move |probe| match version {
        ProtocolVersion::V1 => !is_of_version_2(probe.rule),
        _ => {
            let holds_in_both = (probe.rule.starts_with("RPC-")
                && !ONLY_IN_VERSION_1.contains(&probe.rule))
                || IN_BOTH_VERSIONS.contains(&probe.rule);
            is_of_version_2(probe.rule) || holds_in_both
        }
    })
}

fn is_of_version_2(rule: &str) -> bool {
    rule.starts_with("V2-")
}
