//! The features of the protocol: what a person asks for, by which names and rules it is recognized,
//! and what is lost without it. The tables are in `features.md`.

use crate::judging::support::{Topic, methods};
use crate::{Rule, groups, rules};
use attache_protocol::method::Side;
use std::sync::LazyLock;

const TABLES: &str = include_str!("../../features.md");

/// The marks of capabilities in the tables, with their side and version of the protocol.
const CAPABILITIES: [(&str, Side, u16); 3] =
    [("agent", Side::Agent, 1), ("client", Side::Client, 1), ("agent2", Side::Agent, 2)];

/// One feature.
#[derive(Debug)]
pub(super) struct Feature {
    /// The part of the protocol, as a heading.
    pub(super) part: &'static str,
    pub(super) title: &'static str,
    pub(super) names: Vec<Name>,
    pub(super) rules: Vec<&'static Rule>,
    /// What a person loses if an agent lacks it.
    pub(super) without_in_agent: &'static str,
    /// What a person loses if a client lacks it.
    pub(super) without_in_client: &'static str,
}

/// A name of the protocol by which a feature is recognized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    Method(&'static str),
    Update(&'static str),
    Kind(Topic, &'static str),
    /// A capability of this side in this version, below `agentCapabilities` and the like.
    Capability(Side, u16, &'static str),
}

/// Returns every feature, in display order.
pub(super) fn features() -> &'static [Feature] {
    static FEATURES: LazyLock<Vec<Feature>> = LazyLock::new(|| {
        let mut part = "";
        let lines = TABLES.lines().filter_map(|line| {
            part = line.strip_prefix("## ").unwrap_or(part);
            Feature::read(part, line)
        });
        lines.collect()
    });
    &FEATURES
}

impl Feature {
    /// Reads the feature of a row. Returns `None` for any other line.
    fn read(part: &'static str, line: &'static str) -> Option<Self> {
        let row = line.strip_prefix("| ")?.strip_suffix(" |")?;
        let [title, names, rules, without_in_agent, without_in_client] =
            row.split(" | ").collect::<Vec<_>>().try_into().ok()?;
        let names: Vec<Name> = names.split(' ').filter_map(Name::read).collect();
        let rules: Vec<_> = rules.split(' ').flat_map(rules_of).collect();
        let is_head = names.is_empty() && rules.is_empty();
        (!is_head).then_some(Self {
            part,
            title,
            names,
            rules,
            without_in_agent,
            without_in_client,
        })
    }
}

impl Name {
    fn read(cell: &'static str) -> Option<Self> {
        let name = cell.strip_prefix('`')?.strip_suffix('`')?;
        match name.split_once(':') {
            Some((mark, below)) => {
                let capability = CAPABILITIES.iter().find(|(other, ..)| *other == mark);
                let topic = Topic::ALL.iter().find(|topic| topic.key() == mark);
                let kind = topic.map(|topic| Self::Kind(*topic, below));
                capability
                    .map(|(_, side, version)| Self::Capability(*side, *version, below))
                    .or(kind)
            }
            None if has_method(name) => Some(Self::Method(name)),
            None => Some(Self::Update(name)),
        }
    }
}

fn has_method(name: &str) -> bool {
    [1, 2].into_iter().flat_map(methods).any(|row| row.name == name)
}

/// Returns the rules of a group (`CONF`), a range (`V2-06..10`) or an id.
fn rules_of(word: &str) -> Vec<&'static Rule> {
    let (first, last) = word.split_once("..").unwrap_or((word, ""));
    let Some((prefix, from)) = first.split_once('-') else {
        return groups()
            .iter()
            .filter(|group| group.prefix == word)
            .flat_map(|group| group.rules)
            .collect();
    };
    let to = if last.is_empty() { from } else { last };
    let number = |rule: &Rule| rule.id.rsplit_once('-').map(|(_, number)| number);
    let is_in = |rule: &&Rule| {
        rule.prefix() == prefix && number(rule).is_some_and(|number| (from..=to).contains(&number))
    };
    rules().iter().filter(is_in).collect()
}

#[cfg(test)]
mod tests {
    use super::{Feature, Name, TABLES, features, has_method};
    use crate::judging::support::{gates, methods, updates};
    use crate::{groups, rules};
    use attache_protocol::method::{Receiver, Side, Stability};
    use std::collections::BTreeSet;

    fn count(wanted: &Name) -> usize {
        features().iter().flat_map(|feature| &feature.names).filter(|name| *name == wanted).count()
    }

    #[test]
    fn every_method_and_update_belongs_to_one_feature() {
        for row in [1, 2].into_iter().flat_map(methods) {
            let is_theirs = row.receiver != Receiver::Proxy && row.stability != Stability::Retired;
            assert_eq!(count(&Name::Method(row.name)), usize::from(is_theirs), "{}", row.name);
        }
        for row in [1, 2].into_iter().flat_map(updates) {
            assert_eq!(count(&Name::Update(row.name)), 1, "{}", row.name);
        }
    }

    /// A proxy is neither an agent nor a client.
    #[test]
    fn every_rule_belongs_to_a_feature() {
        let of_features: BTreeSet<&str> =
            features().iter().flat_map(|feature| &feature.rules).map(|rule| rule.id).collect();
        let missing: Vec<&str> = rules()
            .iter()
            .filter(|rule| rule.prefix() != "PROXY" && !of_features.contains(rule.id))
            .map(|rule| rule.id)
            .collect();
        assert_eq!(missing, Vec::<&str>::new());
    }

    #[test]
    fn every_name_and_rule_of_the_tables_is_known() {
        for Feature { title, names, without_in_agent, without_in_client, .. } in features() {
            assert!(without_in_agent.ends_with('.') && without_in_client.ends_with('.'), "{title}");
            for name in names {
                let is_known = match name {
                    Name::Method(name) => has_method(name),
                    Name::Update(name) => {
                        [1, 2].into_iter().flat_map(updates).any(|row| row.name == *name)
                    }
                    Name::Kind(topic, kind) => topic.known().contains(kind),
                    // The table of gates leaves out what gates only members in version 2.
                    Name::Capability(_, 2, _) => true,
                    Name::Capability(side, version, path) => {
                        let wrapper = if *side == Side::Agent { "agent" } else { "client" };
                        let whole = format!("{wrapper}Capabilities.{path}");
                        gates(*side, *version).iter().any(|(gate, _)| *gate == whole)
                    }
                };
                assert!(is_known, "{title}: {name:?}");
            }
        }
        let cells: usize = TABLES.lines().filter(|line| line.starts_with("| ")).count();
        let heads = TABLES.lines().filter(|line| line.starts_with("| Feature |")).count();
        assert_eq!(features().len(), cells - heads);
        let quoted = TABLES.lines().filter(|line| line.starts_with("| ")).flat_map(|line| {
            line.split(" | ").nth(1).unwrap_or_default().split(' ').filter(|word| *word != "Names")
        });
        let names: usize = features().iter().map(|feature| feature.names.len()).sum();
        assert_eq!(names, quoted.filter(|word| *word != "–").count(), "a name cannot be read");
        for word in TABLES.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").nth(2)) {
            for word in word.split(' ').filter(|word| *word != "Rules") {
                let is_group = groups().iter().any(|group| group.prefix == word);
                assert!(is_group || !super::rules_of(word).is_empty(), "{word}");
            }
        }
    }
}
