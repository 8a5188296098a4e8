//! What is said about one rule, and on what grounds.

use crate::peer::line::Line;
use crate::{Rule, Selection, masked, rules, select};
use std::borrow::Cow;
use std::time::Duration;

/// What is said about one rule.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Verdict {
    /// The rule.
    pub rule: &'static Rule,
    /// What came of it.
    pub outcome: Outcome,
    /// What it rests on: the name of a probe, or [`WATCHING`](Self::WATCHING).
    pub grounds: Cow<'static, str>,
    /// The last lines on which it rests, in order, cut where they are long; none for a pass of the
    /// traffic of all probes.
    pub lines: Vec<Line>,
    /// How long the probes of the rule took; nothing where only the traffic was watched.
    pub took: Duration,
}

/// What came of judging a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It is kept.
    Pass,
    /// It is broken.
    Fail {
        /// What had to be seen.
        expected: String,
        /// What was seen.
        seen: String,
    },
    /// The agent does not offer what the rule is about: what is missing.
    Skipped(String),
    /// It cannot be told: why.
    NotTested(String),
}

impl Outcome {
    /// The word for a pass.
    pub const PASS: &'static str = "pass";
    /// The word for a fail.
    pub const FAIL: &'static str = "fail";
    /// The word for what is not offered.
    pub const SKIPPED: &'static str = "skipped";
    /// The word for what cannot be told.
    pub const NOT_TESTED: &'static str = "not tested";
    /// Every word.
    pub const WORDS: &'static [&'static str] =
        &[Self::PASS, Self::FAIL, Self::SKIPPED, Self::NOT_TESTED];

    /// The word for it, as people and programs read it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Pass => Self::PASS,
            Self::Fail { .. } => Self::FAIL,
            Self::Skipped(_) => Self::SKIPPED,
            Self::NotTested(_) => Self::NOT_TESTED,
        }
    }

    /// Whether the rule is broken.
    pub fn is_fail(&self) -> bool {
        matches!(self, Self::Fail { .. })
    }

    /// Why nothing is told about the rule, if nothing is.
    pub fn why(&self) -> Option<&str> {
        match self {
            Self::Pass | Self::Fail { .. } => None,
            Self::Skipped(why) | Self::NotTested(why) => Some(why),
        }
    }

    /// What was seen, or why nothing was.
    pub(crate) fn seen(&self) -> &str {
        match self {
            Self::Pass => "",
            Self::Fail { seen, .. } => seen,
            Self::Skipped(why) | Self::NotTested(why) => why,
        }
    }

    /// The same, with what was asked before what was seen.
    #[must_use]
    pub(crate) fn about(self, asked: &str) -> Self {
        match self {
            Self::Fail { expected, seen } => {
                Self::Fail { expected, seen: format!("{asked}: {seen}") }
            }
            other => other,
        }
    }

    /// Which of several outcomes about one rule stands: a fail before a pass, a pass before what is
    /// not known.
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
    /// What a verdict rests on for which the traffic of all probes was watched.
    pub const WATCHING: &'static str = "watching";

    /// A verdict on the rule with this id, which is one of this crate's own table.
    pub(crate) fn new(
        rule: &str,
        outcome: Outcome,
        grounds: impl Into<Cow<'static, str>>,
        lines: Vec<Line>,
    ) -> Option<Self> {
        let Ok(Selection::Rule(rule)) = select(rule) else { return None };
        Some(Self { rule, outcome, grounds: grounds.into(), lines, took: Duration::ZERO })
    }

    /// The verdict without the secrets in what was seen.
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

    /// Whether the peer is at fault: what must hold is broken.
    pub fn is_fault(&self) -> bool {
        self.rule.must_hold() && self.outcome.is_fail()
    }
}

/// One verdict a rule, in the order of the rules: of several the heaviest, of equals the first.
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

/// What a probe gives: nothing if the rule is kept, else what came of it.
pub(crate) type Probed<T = ()> = Result<T, Outcome>;

/// The rule is broken.
pub(crate) fn fail<T>(expected: impl Into<String>, seen: impl Into<String>) -> Probed<T> {
    Err(Outcome::Fail { expected: expected.into(), seen: seen.into() })
}

/// The rule is broken unless this holds.
pub(crate) fn expect(holds: bool, expected: impl Into<String>, seen: impl Into<String>) -> Probed {
    if holds { Ok(()) } else { fail(expected, seen) }
}

/// The agent does not offer this.
pub(crate) fn skipped<T>(missing: impl Into<String>) -> Probed<T> {
    Err(Outcome::Skipped(missing.into()))
}

/// The rule cannot be judged.
pub(crate) fn not_tested<T>(why: impl Into<String>) -> Probed<T> {
    Err(Outcome::NotTested(why.into()))
}
