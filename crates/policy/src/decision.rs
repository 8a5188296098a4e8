//! The decision about an action: its effect, its reason, and what it covers.

use crate::rule::{Effect, Rule};
use std::fmt;
use std::path::PathBuf;

/// The decision about one action of one agent.
///
/// It is valid for exactly what it covers. An agent that waits for a person's answer decides again
/// before it acts, and checks with [`Decision::still_holds`] that the answer was about the same
/// action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Whether the action is allowed, needs a person's answer, or is denied.
    pub effect: Effect,
    /// The rule or the built-in protection that decides.
    pub reason: Reason,
    /// What the decision covers.
    pub covers: Covers,
}

/// What a decision covers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Covers {
    /// The files of the action, absolute, with symbolic links followed.
    pub paths: Vec<PathBuf>,
    /// The whole command line.
    pub command: Option<String>,
    /// Whether a sandbox restricts the command.
    pub sandboxed: bool,
    /// Whether the action can reach the network.
    pub network: bool,
}

impl Decision {
    /// Whether an approval of this decision also approves `now`, the decision about the same action
    /// a moment later. It does not if the action is denied now, if it leads to other files, or if a
    /// person would be asked for a reason that this question did not show.
    pub fn still_holds(&self, now: &Self) -> bool {
        let is_by_mode = matches!(
            now.reason,
            Reason::Mode | Reason::NoSandbox | Reason::Network | Reason::BrokenRules
        );
        match now.effect {
            Effect::Deny => false,
            Effect::Ask if self.reason != now.reason && !is_by_mode => false,
            Effect::Ask | Effect::Allow => self.covers == now.covers,
        }
    }

    /// Why the action is denied, for the model and the person.
    pub fn why(&self) -> String {
        match &self.reason {
            Reason::Mode => {
                "the session's mode is Plan, in which nothing is changed or run".to_owned()
            }
            Reason::Fetch => {
                "this is not a web address: only http and https can be fetched".to_owned()
            }
            reason => reason.to_string(),
        }
    }

    /// Why a person is asked, in a sentence for them; `None` where the mode explains it.
    pub fn why_it_asks(&self) -> Option<String> {
        let plain =
            matches!(self.reason, Reason::Mode | Reason::Mcp | Reason::Fetch | Reason::NoSandbox);
        (!plain).then(|| format!("Asks because {}.", self.reason))
    }
}

/// An effect and its reason, before it is known what they cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) effect: Effect,
    pub(crate) reason: Reason,
}

impl Verdict {
    pub(crate) fn allow(reason: Reason) -> Self {
        Self { effect: Effect::Allow, reason }
    }

    pub(crate) fn ask(reason: Reason) -> Self {
        Self { effect: Effect::Ask, reason }
    }

    pub(crate) fn deny(reason: Reason) -> Self {
        Self { effect: Effect::Deny, reason }
    }

    /// The stricter of two. Of two with one effect, the one with the more specific reason: a rule,
    /// then what the action touches, then the mode.
    pub(crate) fn and(self, other: Self) -> Self {
        let weight = |verdict: &Self| match &verdict.reason {
            Reason::Rule(_) => 3,
            Reason::Secret | Reason::Guarded | Reason::Outside | Reason::NotUnderstood(_) => 2,
            Reason::Nothing | Reason::Reads | Reason::ReadOnly => 0,
            _ => 1,
        };
        match (other.effect, weight(&other)) > (self.effect, weight(&self)) {
            true => other,
            false => self,
        }
    }

    pub(crate) fn is_by_rule(&self) -> bool {
        matches!(self.reason, Reason::Rule(_))
    }
}

/// Why something was decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// It touches nothing outside of the session.
    Nothing,
    /// It reads files of the session's folders.
    Reads,
    /// Every command of the line is known to only read.
    ReadOnly,
    /// The session's mode says so.
    Mode,
    /// A sandbox restricts it.
    Sandbox,
    /// In the mode Auto, and no sandbox restricts it.
    NoSandbox,
    /// It may reach the network.
    Network,
    /// The agent asks to run it without the sandbox that works here.
    Unsandboxed,
    /// The project's configuration can make it run programs.
    Project,
    /// This rule says so.
    Rule(Box<Rule>),
    /// No rule is about the call that an agent asks permission for.
    NoRule,
    /// It may read or change a file that usually holds secrets.
    Secret,
    /// It may change a file that affects how programs or agents run.
    Guarded,
    /// It leads outside of the session's folders.
    Outside,
    /// It is unknown what the command line would run, for this reason.
    NotUnderstood(&'static str),
    /// A file of rules cannot be read, so it is unknown what it denies.
    BrokenRules,
    /// No rule allows this tool of an MCP server.
    Mcp,
    /// No rule allows this address, or it is not an address.
    Fetch,
}

impl Reason {
    /// Its name in the corpus.
    #[cfg(test)]
    pub fn id(&self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Reads => "reads",
            Self::ReadOnly => "read-only",
            Self::Mode => "mode",
            Self::Sandbox => "sandbox",
            Self::NoSandbox => "no-sandbox",
            Self::Network => "network",
            Self::Unsandboxed => "unsandboxed",
            Self::Project => "project",
            Self::Rule(_) => "rule",
            Self::NoRule => "no-rule",
            Self::Secret => "secret",
            Self::Guarded => "guarded",
            Self::Outside => "outside",
            Self::NotUnderstood(_) => "not-understood",
            Self::BrokenRules => "broken-rules",
            Self::Mcp => "mcp",
            Self::Fetch => "fetch",
        }
    }
}

/// Why it asks or is refused, as the second half of a sentence.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("it touches nothing"),
            Self::Reads | Self::ReadOnly => f.write_str("it only reads"),
            Self::Mode => f.write_str("the session's mode decides so"),
            Self::Sandbox => f.write_str("a sandbox restricts it"),
            Self::NoSandbox => f.write_str("no sandbox restricts it"),
            Self::Network => f.write_str("it may reach the network"),
            Self::Unsandboxed => f.write_str("it would run without the sandbox"),
            Self::Project => {
                f.write_str("the project's own configuration can make it run programs")
            }
            Self::Rule(rule) => rule.fmt(f),
            Self::NoRule => f.write_str("no rule is about it"),
            Self::Secret => f.write_str("it may touch a file that holds secrets"),
            Self::Guarded => {
                f.write_str("it may change a file that affects how programs or agents run")
            }
            Self::Outside => f.write_str("it leads outside of the session's folders"),
            Self::NotUnderstood(why) => write!(f, "it is unknown what it would run: {why}"),
            Self::BrokenRules => {
                f.write_str("a file of rules has a mistake, so it is unknown what it denies")
            }
            Self::Mcp => f.write_str("no rule allows this tool"),
            Self::Fetch => f.write_str("no rule allows this address"),
        }
    }
}
