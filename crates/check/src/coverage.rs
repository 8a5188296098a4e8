//! How each rule is judged, which faults show that its judge can fail, and why a rule is not
//! judged.
//!
//! The faults themselves are programs of this crate's tests; here is the list of them, which those
//! tests keep equal to what they have.

use crate::{client_probe, probe};
use attache_protocol::method::Side;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The lists of faults, and what each is about.
const LISTS: [(Judged, &str); 3] = [
    (Judged::Agent, include_str!("../faults/agent.md")),
    (Judged::Client, include_str!("../faults/client.md")),
    (Judged::Traffic, include_str!("../faults/traffic.md")),
];

/// The tests of Attaché and the faults that they detect; `attache-mutations` writes it.
const MUTATIONS: &str = include_str!("../faults/mutations.md");

const NOT_JUDGED: &str = include_str!("../faults/not_judged.md");

/// What is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Judged {
    /// An agent, by a probe that talks to it.
    Agent,
    /// A client, by a probe that it talks to.
    Client,
    /// Lines of either side, by watching.
    Traffic,
}

/// A probe, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProbeName {
    /// Which end it judges.
    pub side: Side,
    /// The id of the rule.
    pub rule: &'static str,
    /// What it does, as words joined by `_`.
    pub name: &'static str,
}

/// A fault that breaks a rule: the judge must find it, and nothing else but its companions.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// The id of the rule.
    pub rule: &'static str,
    /// Rules that are broken with it, as they say the same or more.
    pub companions: Vec<&'static str>,
    /// What is judged where it is found.
    pub judged: Judged,
    /// Whose fault it is.
    pub by: Side,
}

/// A named fault of Attaché's own sources and the test that fails with it.
///
/// The change itself is in the member `mutations` of the workspace, which is not part of the
/// product.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MutationName {
    /// What is broken, in one sentence; unique.
    pub name: &'static str,
    /// The ids of the rules that it breaks.
    pub rules: Vec<&'static str>,
    /// The source file, from the root of the workspace.
    pub file: &'static str,
    /// The package, the test target and the path of the test that fails.
    pub test: &'static str,
}

/// Every probe, those of agents first, in the order in which they run.
pub fn probes() -> impl Iterator<Item = ProbeName> {
    let of_agents = probe::all().map(|probe| ProbeName {
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

/// Every fault that shows that a judge can fail.
///
/// ```
/// let fault = attache_check::faults().iter().find(|fault| fault.rule == "RPC-03").unwrap();
/// assert!(attache_check::probes().count() > 50 && fault.companions.is_empty());
/// ```
pub fn faults() -> &'static [Fault] {
    static FAULTS: LazyLock<Vec<Fault>> = LazyLock::new(|| {
        LISTS
            .iter()
            .flat_map(|(judged, list)| list.lines().filter_map(|line| Fault::read(*judged, line)))
            .collect()
    });
    &FAULTS
}

/// Every mutation, by its test.
pub fn mutations() -> &'static [MutationName] {
    static NAMES: LazyLock<Vec<MutationName>> = LazyLock::new(|| {
        let mut test = "";
        let mut names = Vec::new();
        for line in MUTATIONS.lines() {
            match line.strip_prefix("- ") {
                Some(name) => test = name,
                None => names.extend(MutationName::read(test, line)),
            }
        }
        names
    });
    &NAMES
}

/// The mutations that break the rule with this id.
pub fn mutations_of(rule: &str) -> impl Iterator<Item = &'static MutationName> {
    mutations().iter().filter(move |mutation| mutation.rules.contains(&rule))
}

/// The tests of Attaché that show the rule with this id: those that fail with a mutation of it.
pub fn tests_of(rule: &str) -> BTreeSet<&'static str> {
    mutations_of(rule).map(|mutation| mutation.test).collect()
}

/// Why nothing judges the rule with this id, if something is said about that.
pub fn why_not_judged(rule: &str) -> Option<&'static str> {
    NOT_JUDGED.lines().find_map(|line| {
        let (rules, why) = line.strip_prefix("- ")?.split_once(": ")?;
        rules.split(", ").any(|id| id == rule).then_some(why)
    })
}

impl Judged {
    /// The word for it, as people and programs read it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Client => "client",
            Self::Traffic => "traffic",
        }
    }
}

impl MutationName {
    /// Reads a line below a test: `  - CONF-07 in crates/session/src/config.rs: What is broken`.
    fn read(test: &'static str, line: &'static str) -> Option<Self> {
        let (rules, rest) = line.strip_prefix("  - ")?.split_once(" in ")?;
        let (file, name) = rest.split_once(": ")?;
        Some(Self { name, rules: rules.split(", ").collect(), file, test })
    }
}

impl Fault {
    /// A line of a list: `- CONF-05 with CONF-06`, and of the one about traffic
    /// `- CONF-05 by agent with CONF-06`.
    fn read(judged: Judged, line: &'static str) -> Option<Self> {
        let (head, companions) =
            line.strip_prefix("- ")?.split_once(" with ").unwrap_or((line.get(2..)?, ""));
        let (rule, by) = head.split_once(" by ").unwrap_or((head, ""));
        let by = match (judged, by) {
            (Judged::Agent, _) | (Judged::Traffic, "agent") => Side::Agent,
            (Judged::Client, _) | (Judged::Traffic, _) => Side::Client,
        };
        let companions = companions.split(", ").filter(|companion| !companion.is_empty()).collect();
        Some(Self { rule, companions, judged, by })
    }
}

#[cfg(test)]
mod tests {
    use super::{LISTS, NOT_JUDGED, faults, probes};
    use crate::{Selection, select};

    fn is_rule(id: &str) -> bool {
        matches!(select(id), Ok(Selection::Rule(rule)) if rule.id == id)
    }

    #[test]
    fn every_item_of_every_list_is_read_and_names_rules() {
        let items: usize = LISTS
            .iter()
            .map(|(_, list)| list.lines().filter(|line| line.starts_with("- ")).count())
            .sum();
        assert_eq!(faults().len(), items);
        for fault in faults() {
            let mut rules = fault.companions.iter().chain([&fault.rule]);
            assert!(rules.all(|rule| is_rule(rule)), "{fault:?}");
        }
        assert!(probes().all(|probe| is_rule(probe.rule)));
        for line in NOT_JUDGED.lines().filter(|line| line.starts_with("- ")) {
            let (rules, why) = line.split_at(2).1.split_once(": ").unwrap_or((line, ""));
            assert!(rules.split(", ").all(is_rule) && !why.is_empty(), "{line}");
        }
    }
}
