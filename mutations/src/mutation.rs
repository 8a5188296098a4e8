//! What a mutation is.

use crate::mutation_file::{FILES, read};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::LazyLock;

/// A named fault: a change of our sources that breaks one behaviour, and the test that must fail
/// then.
///
/// The places in the text are found whatever their white space is, so that a formatter may move
/// them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mutation {
    /// What is broken, in one sentence; no two mutations have the same name.
    pub name: &'static str,
    /// The ids of the rules that are broken by it.
    pub rules: Vec<&'static str>,
    /// The source file, from the root of the workspace.
    pub file: &'static str,
    /// The test that must fail.
    pub test: TestName,
    /// Whether the test fails by never ending.
    pub hangs: bool,
    /// The text that stands directly before `from`, to tell it from others like it; may be empty.
    pub before: String,
    /// The code that is replaced: statements, or one expression. With `before` and `after` it
    /// stands exactly once in the file.
    pub from: String,
    /// What replaces it; nothing, if the statement is left out.
    pub to: String,
    /// The text that stands directly after `from`; may be empty.
    pub after: String,
}

/// Where a test is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TestName {
    /// The package, such as `attache-session`.
    pub package: &'static str,
    /// The name of the test target, such as `session` for `tests/session/main.rs`, or `lib` for the
    /// tests beside the code.
    pub target: &'static str,
    /// The test's path in the target, such as `config::a_list_replaces_the_one_before`.
    pub name: &'static str,
}

impl fmt::Display for TestName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.package, self.target, self.name)
    }
}

/// Every mutation, in the order of the files.
pub fn mutations() -> &'static [Mutation] {
    static MUTATIONS: LazyLock<Vec<Mutation>> =
        LazyLock::new(|| FILES.iter().flat_map(|file| read(file)).filter_map(Result::ok).collect());
    &MUTATIONS
}

/// The blocks of the files that cannot be read as mutations, and why; [`mutations`] omits them.
pub fn malformed_mutations() -> Vec<String> {
    FILES.iter().flat_map(|file| read(file)).filter_map(Result::err).collect()
}

/// The tests that fail with a mutation of the rule with this id.
pub fn tests_of(rule: &str) -> BTreeSet<TestName> {
    let of_rule = mutations().iter().filter(|mutation| mutation.rules.contains(&rule));
    of_rule.map(|mutation| mutation.test).collect()
}
