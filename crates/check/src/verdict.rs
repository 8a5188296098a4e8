//! What is said about one rule, and on what grounds.

use crate::raw_peer::Line;
use crate::{Rule, Strength};

/// What is said about one rule.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Verdict {
    /// The rule.
    pub rule: &'static Rule,
    /// What came of it.
    pub outcome: Outcome,
    /// What it rests on: the name of a probe, or `passive` where the traffic of all probes was watched.
    pub grounds: &'static str,
    /// For a fail the lines that show it, in order, cut where they are long; else empty.
    pub lines: Vec<Line>,
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
    /// The word for it, as people and programs read it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail { .. } => "fail",
            Self::Skipped(_) => "skipped",
            Self::NotTested(_) => "not tested",
        }
    }

    #[allow(dead_code, reason = "the probes of turns are being written")]
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
            Self::Fail { expected, seen } => Self::Fail { expected, seen: format!("{asked}: {seen}") },
            other => other,
        }
    }

    /// Which of several outcomes about one rule stands: a fail before a pass, a pass before what is not known.
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
    /// Whether the agent is at fault: what must hold is broken.
    pub fn is_fault(&self) -> bool {
        self.rule.strength == Strength::Must && matches!(self.outcome, Outcome::Fail { .. })
    }
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
