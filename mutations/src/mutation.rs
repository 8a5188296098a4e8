//! The definition of a mutation.

use crate::mutation_file::{FILES, read};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::LazyLock;

/// A named fault: a change of our sources that breaks one behaviour, and the test that must then
/// fail.
///
/// The search for the code to replace ignores white space, so reformatting the source does not
/// break the mutation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mutation {
    /// The broken behaviour, as one unique sentence.
    pub name: &'static str,
    /// The ids of the rules that it breaks. Empty if the protocol does not demand the behaviour.
    pub rules: Vec<&'static str>,
    /// The path of the source file, relative to the root of the workspace.
    pub file: &'static str,
    /// The test that must fail.
    pub test: TestName,
    /// Whether the test fails because it never ends.
    pub hangs: bool,
    /// The text directly before `from`, which distinguishes it from similar code. It may be empty.
    pub before: String,
    /// The code to replace: statements or one expression. Together with `before` and `after` it
    /// occurs exactly once in the file.
    pub from: String,
    /// The new code. It is empty if the statement is removed.
    pub to: String,
    /// The text directly after `from`. It may be empty.
    pub after: String,
}

/// The location of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TestName {
    /// The package, such as `attache-session`.
    pub package: &'static str,
    /// The name of the test target, such as `session` for `tests/session/main.rs`, or `lib` for
    /// unit tests.
    pub target: &'static str,
    /// The test's path in the target, such as `config::a_list_replaces_the_one_before`.
    pub name: &'static str,
}

impl fmt::Display for TestName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.package, self.target, self.name)
    }
}

/// Returns every mutation, in the order of the files.
pub fn mutations() -> &'static [Mutation] {
    static MUTATIONS: LazyLock<Vec<Mutation>> =
        LazyLock::new(|| FILES.iter().flat_map(|file| read(file)).filter_map(Result::ok).collect());
    &MUTATIONS
}

/// Returns a description of each block that is not a valid mutation. [`mutations`] omits these
/// blocks.
pub fn malformed_mutations() -> Vec<String> {
    FILES.iter().flat_map(|file| read(file)).filter_map(Result::err).collect()
}

/// Returns the tests that fail with a mutation of the rule with this id.
pub fn tests_of(rule: &str) -> BTreeSet<TestName> {
    let of_rule = mutations().iter().filter(|mutation| mutation.rules.contains(&rule));
    of_rule.map(|mutation| mutation.test).collect()
}
