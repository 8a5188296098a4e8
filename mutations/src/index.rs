//! The index of the mutations that `attache-check` ships.

use crate::{Mutation, TestName, mutations};
use std::collections::BTreeMap;
use std::fmt::Write as _;

const HEAD: &str = "\
# Tests of Attaché and the mutations that they detect

Each test with the mutations of `mutations/faults` that make it fail, the rules that they break
and the files that they change. `UPDATE_DOCS=1 cargo test -p attache-mutations index` writes this
file.
";

/// Returns the text of `crates/check/faults/mutations.md`: the mutations that break a rule.
pub fn index() -> String {
    let mut by_test: BTreeMap<TestName, Vec<&Mutation>> = BTreeMap::new();
    for mutation in mutations().iter().filter(|mutation| !mutation.rules.is_empty()) {
        by_test.entry(mutation.test).or_default().push(mutation);
    }
    let mut text = HEAD.to_owned();
    for (test, mutations) in by_test {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n- {test}\n");
        for mutation in mutations {
            let rules = mutation.rules.join(", ");
            let _ = writeln!(text, "  - {rules} in {}: {}", mutation.file, mutation.name);
        }
    }
    text
}
