//! The mutations of Attaché's own sources, by name, and the tests that detect them.

use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The tests of Attaché and the mutations that they detect. `attache-mutations` writes this list.
const MUTATIONS: &str = include_str!("../../faults/mutations.md");

/// A named mutation of Attaché's own sources and the test that detects it.
///
/// The change itself is in the workspace member `mutations`, which is not shipped.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MutationName {
    /// The broken behaviour, as one unique sentence.
    pub name: &'static str,
    /// The ids of the rules that the mutation breaks.
    pub rules: Vec<&'static str>,
    /// The path of the source file, relative to the root of the workspace.
    pub file: &'static str,
    /// The package, the test target and the path of the test that detects the mutation.
    pub test: &'static str,
}

/// Returns every mutation, ordered by test.
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

/// Returns the mutations that break the rule with this id.
pub fn mutations_of(rule: &str) -> impl Iterator<Item = &'static MutationName> {
    mutations().iter().filter(move |mutation| mutation.rules.contains(&rule))
}

/// Returns the tests of Attaché that cover the rule with this id. A test covers a rule if it
/// detects a mutation that breaks the rule.
pub fn tests_of(rule: &str) -> BTreeSet<&'static str> {
    mutations_of(rule).map(|mutation| mutation.test).collect()
}

impl MutationName {
    /// Reads a line below a test: `  - CONF-07 in crates/session/src/config.rs: What is broken`.
    fn read(test: &'static str, line: &'static str) -> Option<Self> {
        let (rules, rest) = line.strip_prefix("  - ")?.split_once(" in ")?;
        let (file, name) = rest.split_once(": ")?;
        Some(Self { name, rules: rules.split(", ").collect(), file, test })
    }
}
