//! Probes: each judges one rule by talking to the agent.
//!
//! A probe is an async function of a [`Run`] that ends in `Ok` if the rule is kept. There is a file
//! per topic, which lists its probes with the rule of each in one `probes!`. Several probes may
//! judge one rule: then the worst outcome stands.

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

use crate::run::Run;
use crate::verdict::Probed;
use std::pin::Pin;

/// A probe that is running.
pub(crate) type Probing<'a> = Pin<Box<dyn Future<Output = Probed> + Send + 'a>>;

/// One way to find out whether a peer keeps a rule: of an agent unless it is of a
/// [`crate::ClientRun`].
#[derive(Debug)]
pub(crate) struct Probe<R = Run> {
    /// The id of the rule.
    pub(crate) rule: &'static str,
    /// What it does, as a name.
    pub(crate) name: &'static str,
    pub(crate) run: for<'a> fn(&'a mut R) -> Probing<'a>,
}

/// Makes the list of a topic's probes: `probes! { "RULE-01" function_name; … }`.
macro_rules! probes {
    ($($rule:literal $function:ident;)*) => {
        pub(super) const PROBES: &[crate::probe::Probe] = &[$(crate::probe::Probe {
            rule: $rule,
            name: stringify!($function),
            run: |run| Box::pin($function(run)),
        }),*];
    };
}
use probes;

/// Every probe, in the order in which they run: what a topic needs stands before it.
const TOPICS: &[&[Probe]] = &[
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
pub(crate) fn all() -> impl Iterator<Item = &'static Probe> {
    TOPICS.iter().copied().flatten()
}

/// The probes in the order that a number stands for; with 0 as they are.
pub(crate) fn in_order_of_seed<P>(mut probes: Vec<P>, seed: u64) -> Vec<P> {
    let mut state = seed;
    for last in (1..probes.len()).rev().filter(|_| seed != 0) {
        // SplitMix64, so that a seed means the same everywhere.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        let other = usize::try_from(mixed % (last as u64 + 1)).unwrap_or_default();
        probes.swap(last, other);
    }
    probes
}
