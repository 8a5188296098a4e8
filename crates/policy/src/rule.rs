//! One rule: whose actions it is about, which, where, and what it decides.

mod agents;
mod call;
mod effect;
mod pattern;
mod subject;

pub use agents::{Agents, BUILT_IN};
pub use call::CallPattern;
pub use effect::Effect;
pub use pattern::Pattern;
pub use subject::Subject;
pub(crate) use subject::{Run, host_of};

use attache_protocol::v1::SessionId;
use std::fmt;
use std::path::{Path, PathBuf};

/// A rule, from a file or of one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// What the rule decides.
    pub effect: Effect,
    /// The agents whose actions it is about.
    pub agents: Agents,
    /// The actions that it is about.
    pub subject: Subject,
    /// Where and for how long it holds.
    pub scope: RuleScope,
    /// The file that contains it; `None` for a choice of this session.
    pub file: Option<String>,
}

/// Where and for how long a rule holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleScope {
    /// In this session. No file keeps such a rule.
    Session(SessionId),
    /// In sessions in this folder. A rule about `call`, and one that asks or denies, also holds in
    /// sessions in folders below it.
    Project(PathBuf),
    /// Everywhere.
    Always,
}

impl Rule {
    /// A rule for every agent that holds everywhere, in no file.
    pub fn new(effect: Effect, subject: Subject) -> Self {
        Self { effect, agents: Agents::All, subject, scope: RuleScope::Always, file: None }
    }

    /// Whether two rules say the same, whichever file they stand in.
    pub fn is_same(&self, other: &Self) -> bool {
        self.effect == other.effect
            && self.agents == other.agents
            && self.subject == other.subject
            && self.scope == other.scope
    }

    /// Whether the rule holds in a session in this folder. Blocks on the disk if it holds in one
    /// project alone.
    pub(crate) fn holds_in(&self, cwd: &Path) -> bool {
        let RuleScope::Project(project) = &self.scope else { return true };
        if *project == *cwd {
            return true;
        }
        if matches!(self.subject, Subject::Call(_)) {
            return cwd.is_absolute() && cwd.starts_with(project);
        }
        let real = std::fs::canonicalize(project);
        match self.effect {
            Effect::Allow => real.is_ok_and(|real| real == cwd),
            Effect::Ask | Effect::Deny => {
                cwd.starts_with(project) || real.is_ok_and(|real| cwd.starts_with(real))
            }
        }
    }
}

/// The rule in a sentence: why something was decided.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subject = &self.subject;
        match (&self.file, self.effect) {
            (None, Effect::Deny) => {
                write!(f, "{subject} were refused for the rest of this session")
            }
            (Some(file), Effect::Deny) => write!(f, "{subject} are forbidden by {file}"),
            (None, Effect::Allow) => write!(f, "{subject} are allowed in this session"),
            (Some(file), Effect::Allow) => write!(f, "{subject} are allowed by {file}"),
            (None, Effect::Ask) => write!(f, "{subject} ask in this session"),
            (Some(file), Effect::Ask) => write!(f, "{subject} ask because of {file}"),
        }
    }
}
