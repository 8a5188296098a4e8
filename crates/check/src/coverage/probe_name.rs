//! The names of all probes.

use crate::agent::probe as agent_probe;
use crate::client::probe as client_probe;
use attache_protocol::method::Side;

/// The name of a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProbeName {
    /// The side that the probe judges.
    pub side: Side,
    /// The id of the rule.
    pub rule: &'static str,
    /// The name of the function, which states the behaviour that the rule demands.
    pub name: &'static str,
}

/// Returns every probe in the order in which they run, probes of agents first.
pub fn probes() -> impl Iterator<Item = ProbeName> {
    let of_agents = agent_probe::all().map(|probe| ProbeName {
        side: Side::Agent,
        rule: probe.rule,
        name: probe.name,
    });
    let of_clients = client_probe::all().map(|probe| ProbeName {
        side: Side::Client,
        rule: probe.rule,
        name: probe.name,
    });
    of_agents.chain(of_clients)
}
