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

use crate::agent::run::Run;
use crate::judging::probe::Probe;

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

/// Every probe, in the order in which they run.
pub(crate) fn all() -> impl Iterator<Item = &'static Probe<Run>> {
    TOPICS.iter().copied().flatten()
}
