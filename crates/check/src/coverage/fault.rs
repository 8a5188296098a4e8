//! The faults that each rule is tested with, and the reasons why some rules are not judged.
//!
//! The faults are programs in this crate's tests, which keep these lists up to date.

use attache_protocol::method::Side;
use std::sync::LazyLock;

/// The lists of faults and their targets.
const LISTS: [(Judged, &str); 3] = [
    (Judged::Agent, include_str!("../../faults/agent.md")),
    (Judged::Client, include_str!("../../faults/client.md")),
    (Judged::Traffic, include_str!("../../faults/traffic.md")),
];

const NOT_JUDGED: &str = include_str!("../../faults/not_judged.md");

/// What contains a fault, and how the fault is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Judged {
    /// An agent, judged by a probe.
    Agent,
    /// A client, judged by a probe.
    Client,
    /// Lines of either side, judged by the observer.
    Traffic,
}

/// A fault that breaks a rule. The judge must report this rule and no others except the companions.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// The id of the rule.
    pub rule: &'static str,
    /// Rules that the fault also breaks, because they demand the same or more.
    pub companions: Vec<&'static str>,
    /// What contains the fault.
    pub judged: Judged,
    /// The side at fault.
    pub by: Side,
}

/// Returns every fault.
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

/// Returns why no probe judges the rule with this id, if a reason is known.
pub fn why_not_judged(rule: &str) -> Option<&'static str> {
    NOT_JUDGED.lines().find_map(|line| {
        let (rules, why) = line.strip_prefix("- ")?.split_once(": ")?;
        rules.split(", ").any(|id| id == rule).then_some(why)
    })
}

impl Judged {
    /// Returns the word that output and reports use: `agent`, `client` or `traffic`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Client => "client",
            Self::Traffic => "traffic",
        }
    }
}

impl Fault {
    /// Reads a line of a list, such as `- CONF-05 with CONF-06`. The list about traffic also names
    /// the side: `- CONF-05 by agent with CONF-06`.
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
    use super::{LISTS, NOT_JUDGED, faults};
    use crate::coverage::probe_name::probes;
    use crate::{Selection, select};

    fn is_rule(id: &str) -> bool {
        matches!(select(id), Ok(Selection::Rule(rule)) if rule.id == id)
    }

    #[test]
    fn every_item_of_every_list_names_known_rules() {
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
