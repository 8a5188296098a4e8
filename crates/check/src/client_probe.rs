//! Probes of clients: each judges one rule as the agent that the client talks to.
//!
//! A probe is an async function of a [`ClientRun`] that ends in `Ok` if the rule is kept. There is a file per topic, which lists its probes
//! with the rule of each in one `client_probes!`. Several probes may judge one rule: then the worst outcome stands.

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

use crate::client_run::ClientRun;
use crate::verdict::Probed;
use std::pin::Pin;

/// One way to find out whether a client keeps a rule.
#[derive(Debug)]
pub(crate) struct ClientProbe {
    /// The id of the rule.
    pub(crate) rule: &'static str,
    /// What it does, as a name.
    pub(crate) name: &'static str,
    pub(crate) run: for<'a> fn(&'a mut ClientRun) -> Pin<Box<dyn Future<Output = Probed> + Send + 'a>>,
}

/// Makes the list of a topic's probes: `client_probes! { "RULE-01" function_name; … }`.
macro_rules! client_probes {
    ($($rule:literal $function:ident;)*) => {
        pub(super) const PROBES: &[crate::client_probe::ClientProbe] = &[$(crate::client_probe::ClientProbe {
            rule: $rule,
            name: stringify!($function),
            run: |run| Box::pin($function(run)),
        }),*];
    };
}
use client_probes;

/// Every probe, in the order in which they run.
const TOPICS: &[&[ClientProbe]] = &[
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

/// Every probe, in the order in which they run.
pub(crate) fn all() -> impl Iterator<Item = &'static ClientProbe> {
    TOPICS.iter().copied().flatten()
}
