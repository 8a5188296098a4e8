//! The verdict on one rule and its grounds.

use crate::peer::line::Line;
use crate::{Rule, Selection, masked, rules, select};
use std::borrow::Cow;
use std::time::Duration;

/// The verdict on one rule.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Verdict {
    /// The rule.
    pub rule: &'static Rule,
    /// The outcome.
    pub outcome: Outcome,
    /// The name of the probe that gave the verdict, or [`WATCHING`](Self::WATCHING).
    pub grounds: Cow<'static, str>,
    /// The last lines of the evidence, in order. Long lines are truncated. A pass that is based
    /// only on traffic has no lines.
    pub lines: Vec<Line>,
    /// The running time of the rule's probes, or zero if only traffic judged the rule.
    pub took: Duration,
}

/// The outcome of judging a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The peer keeps the rule.
    Pass,
    /// The peer breaks the rule.
    Fail {
        /// The behaviour that the rule requires.
        expected: String,
        /// The observed behaviour of the peer.
        seen: String,
    },
    /// The peer does not offer the subject of the rule. The text names what is missing.
    Skipped(String),
    /// The rule could not be tested. The text contains the reason.
    NotTested(String),
}

impl Outcome {
    /// The word for a pass.
    pub const PASS: &'static str = "pass";
    /// The word for a failure.
    pub const FAIL: &'static str = "fail";
    /// The word for a skipped rule.
    pub const SKIPPED: &'static str = "skipped";
    /// The word for a rule that could not be tested.
    pub const NOT_TESTED: &'static str = "not tested";
    /// All words.
    pub const WORDS: &'static [&'static str] =
        &[Self::PASS, Self::FAIL, Self::SKIPPED, Self::NOT_TESTED];

    /// Returns the word that output and reports use for the outcome.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Pass => Self::PASS,
            Self::Fail { .. } => Self::FAIL,
            Self::Skipped(_) => Self::SKIPPED,
            Self::NotTested(_) => Self::NOT_TESTED,
        }
    }

    /// Whether the peer breaks the rule.
    pub fn is_fail(&self) -> bool {
        matches!(self, Self::Fail { .. })
    }

    /// Returns the reason why the rule has no result, or `None` if it has one.
    pub fn why(&self) -> Option<&str> {
        match self {
            Self::Pass | Self::Fail { .. } => None,
            Self::Skipped(why) | Self::NotTested(why) => Some(why),
        }
    }

    /// Returns the behaviour of the peer, or the reason why the rule was not tested.
    pub(crate) fn seen(&self) -> &str {
        match self {
            Self::Pass => "",
            Self::Fail { seen, .. } => seen,
            Self::Skipped(why) | Self::NotTested(why) => why,
        }
    }

    /// Returns the outcome. In a failure, puts `asked` before the observed behaviour.
    #[must_use]
    pub(crate) fn about(self, asked: &str) -> Self {
        match self {
            Self::Fail { expected, seen } => {
                Self::Fail { expected, seen: format!("{asked}: {seen}") }
            }
            other => other,
        }
    }

    /// Returns the weight of an outcome. If a rule has several outcomes, the heaviest counts. A
    /// failure outweighs a pass, and a pass outweighs a missing result.
    pub(crate) fn weight(&self) -> u8 {
        match self {
            Self::Fail { .. } => 3,
            Self::Pass => 2,
            Self::NotTested(_) => 1,
            Self::Skipped(_) => 0,
        }
    }
}

impl Verdict {
    /// The grounds of a verdict by the observer, which reads the traffic of all probes.
    pub const WATCHING: &'static str = "watching";

    /// Creates a verdict on the rule with this id, which must be in this crate's table.
    pub(crate) fn new(
        rule: &str,
        outcome: Outcome,
        grounds: impl Into<Cow<'static, str>>,
        lines: Vec<Line>,
    ) -> Option<Self> {
        let Ok(Selection::Rule(rule)) = select(rule) else { return None };
        Some(Self { rule, outcome, grounds: grounds.into(), lines, took: Duration::ZERO })
    }

    /// Returns the verdict with secrets masked.
    pub(crate) fn masked(self) -> Self {
        let Self { rule, outcome, grounds, lines, took } = self;
        let outcome = match outcome {
            Outcome::Pass => Outcome::Pass,
            Outcome::Fail { expected, seen } => {
                Outcome::Fail { expected: masked(&expected), seen: masked(&seen) }
            }
            Outcome::Skipped(why) => Outcome::Skipped(masked(&why)),
            Outcome::NotTested(why) => Outcome::NotTested(masked(&why)),
        };
        let lines =
            lines.into_iter().map(|line| Line { text: masked(&line.text), ..line }).collect();
        Self { rule, outcome, grounds, lines, took }
    }

    /// Whether the peer is at fault because it breaks a mandatory rule.
    pub fn is_fault(&self) -> bool {
        self.rule.must_hold() && self.outcome.is_fail()
    }
}

/// Reduces verdicts to one per rule, in the order of the rules: the heaviest, or the first of
/// several with the same weight.
pub(crate) fn worst_of_each(verdicts: Vec<Verdict>) -> Vec<Verdict> {
    let mut worst: Vec<Verdict> = Vec::new();
    for verdict in verdicts {
        let Some(other) = worst.iter_mut().find(|other| other.rule.id == verdict.rule.id) else {
            worst.push(verdict);
            continue;
        };
        let took = other.took.saturating_add(verdict.took);
        if other.outcome.weight() < verdict.outcome.weight() {
            *other = verdict;
        }
        other.took = took;
    }
    let place = |rule: &Rule| rules().iter().position(|other| other.id == rule.id);
    worst.sort_by_key(|verdict| place(verdict.rule));
    worst
}

/// The result of a probe: `Ok` if the rule is kept, otherwise the outcome.
pub(crate) type Probed<T = ()> = Result<T, Outcome>;

/// Fails the rule.
pub(crate) fn fail<T>(expected: impl Into<String>, seen: impl Into<String>) -> Probed<T> {
    Err(Outcome::Fail { expected: expected.into(), seen: seen.into() })
}

/// Fails the rule unless the condition holds.
pub(crate) fn expect(holds: bool, expected: impl Into<String>, seen: impl Into<String>) -> Probed {
    if holds { Ok(()) } else { fail(expected, seen) }
}

/// Skips the rule because the peer does not offer this.
pub(crate) fn skipped<T>(missing: impl Into<String>) -> Probed<T> {
    Err(Outcome::Skipped(missing.into()))
}

/// Ends the probe without a result for this reason.
pub(crate) fn not_tested<T>(why: impl Into<String>) -> Probed<T> {
    Err(Outcome::NotTested(why.into()))
}
