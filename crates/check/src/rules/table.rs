//! The tables of rules: one Markdown file per topic, read once.
//!
//! A group is a heading `## PREFIX: title` and a table with the columns id, side, strength, rule,
//! observation and source. `–` marks a missing observation or source.

use crate::rules::rule::{Binds, Group, Rule, Strength};
use std::sync::LazyLock;

/// The files, in the order of the rules.
const TABLES: &[&str] = &[
    include_str!("../../rules/rpc.md"),
    include_str!("../../rules/initialize.md"),
    include_str!("../../rules/authenticate.md"),
    include_str!("../../rules/session.md"),
    include_str!("../../rules/prompt.md"),
    include_str!("../../rules/tool_call.md"),
    include_str!("../../rules/file_and_terminal.md"),
    include_str!("../../rules/plan_command_mode.md"),
    include_str!("../../rules/config_option.md"),
    include_str!("../../rules/info_and_usage.md"),
    include_str!("../../rules/notice_and_compaction.md"),
    include_str!("../../rules/elicitation.md"),
    include_str!("../../rules/extension_and_decoding.md"),
    include_str!("../../rules/unstable.md"),
    include_str!("../../rules/version_2.md"),
];

impl Rule {
    /// Reads the rule of a row. Returns `None` for any other line.
    fn read(line: &'static str) -> Option<Self> {
        let mut cells = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ");
        let mut cell = || cells.next();
        let (id, binds, word) = (cell()?, Binds::read(cell()?)?, cell()?);
        let (text, observation, source) = (cell()?, given(cell()?), given(cell()?));
        let rule =
            Self { id, binds, strength: Strength::read(word)?, word, text, observation, source };
        cell().is_none().then_some(rule)
    }
}

fn given(cell: &'static str) -> Option<&'static str> {
    Some(cell).filter(|cell| *cell != "–")
}

impl Binds {
    fn read(cell: &str) -> Option<Self> {
        Some(match cell {
            "A" => Self::Agent,
            "C" => Self::Client,
            "B" => Self::Both,
            "Snd" => Self::Sender,
            "Rcv" => Self::Receiver,
            "proxy" | "A/proxy" => Self::Proxy,
            "conductor" => Self::Conductor,
            "both" => Self::Chain,
            _ => return None,
        })
    }
}

impl Strength {
    /// Reads the strength from the first word of a cell. For example,
    /// `MUST (cancelled turn), REC (others)` is a must.
    fn read(cell: &str) -> Option<Self> {
        Some(match cell.split_whitespace().next()? {
            "MUST" | "must*" | "must" => Self::Must,
            "SHOULD" | "should*" => Self::Should,
            "MAY" => Self::May,
            "IMPL" => Self::Practice,
            "REC" => Self::Advice,
            _ => return None,
        })
    }
}

/// Returns every rule, group by group.
pub fn rules() -> &'static [Rule] {
    static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
        TABLES.iter().flat_map(|table| table.lines().filter_map(Rule::read)).collect()
    });
    &RULES
}

/// Returns every group of rules.
pub fn groups() -> &'static [Group] {
    static GROUPS: LazyLock<Vec<Group>> = LazyLock::new(|| {
        let headings = TABLES
            .iter()
            .flat_map(|table| table.lines())
            .filter_map(|line| line.strip_prefix("## "));
        headings
            .filter_map(|heading| heading.split_once(": "))
            .map(|(prefix, title)| Group { prefix, title, rules: of_group(prefix) })
            .collect()
    });
    &GROUPS
}

fn of_group(prefix: &str) -> &'static [Rule] {
    rules()
        .chunk_by(|one, next| one.prefix() == next.prefix())
        .find(|rules| rules.first().is_some_and(|rule| rule.prefix() == prefix))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::TABLES;
    use crate::Rule;
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn every_row_of_every_table_is_read() {
        for line in TABLES.iter().flat_map(|table| table.lines()) {
            let expected = line.starts_with("| ") && !line.starts_with("| ID ");
            assert_eq!(Rule::read(line).is_some(), expected, "{line}");
            assert!(
                expected
                    || line.is_empty()
                    || ["## ", "| ID ", "|---"].iter().any(|start| line.starts_with(start)),
                "{line}"
            );
        }
    }

    #[test]
    fn every_file_of_rules_is_in_the_list() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
        let files = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
        let (files, listed): (BTreeSet<String>, BTreeSet<String>) =
            (files.collect(), TABLES.iter().map(|table| (*table).to_owned()).collect());
        assert!(files == listed, "the folder rules and the list TABLES differ");
    }
}
