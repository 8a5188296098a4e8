//! One rule: its agents, its actions, its scope and its effect.

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

/// A rule from a file, or a choice of one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The effect on matching actions.
    pub effect: Effect,
    /// The agents that the rule applies to.
    pub agents: Agents,
    /// The actions that the rule is about.
    pub subject: Subject,
    /// Where and how long the rule applies.
    pub scope: RuleScope,
    /// The file that contains the rule; `None` for a choice of this session.
    pub file: Option<String>,
}

/// Where and how long a rule applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleScope {
    /// In this session. No file contains such a rule.
    Session(SessionId),
    /// In sessions in this folder. Rules about `call`, and rules that ask or deny, also apply to
    /// sessions in folders below that one.
    Project(PathBuf),
    /// In all sessions.
    Always,
}

impl Rule {
    /// Makes a rule that applies to every agent in all sessions and is not in a file.
    pub fn new(effect: Effect, subject: Subject) -> Self {
        Self { effect, agents: Agents::All, subject, scope: RuleScope::Always, file: None }
    }

    /// Whether two rules are equal, apart from the files that contain them.
    pub fn is_same(&self, other: &Self) -> bool {
        self.effect == other.effect
            && self.agents == other.agents
            && self.subject == other.subject
            && self.scope == other.scope
    }

    /// Whether the rule applies to a session in this folder. Blocks on the disk if it applies to
    /// one project only.
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

/// The rule as a sentence that explains a decision.
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
            (None, Effect::Ask) => write!(f, "{subject} need approval in this session"),
            (Some(file), Effect::Ask) => write!(f, "{subject} need approval because of {file}"),
        }
    }
}
