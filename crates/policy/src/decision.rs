//! The decision about an action: its effect, its reason, and what it covers.

use crate::rule::{Effect, Rule};
use std::fmt;
use std::path::PathBuf;

/// The decision about one action of one agent.
///
/// A decision is valid for exactly the actions that it covers. An agent that waits for a person's
/// answer decides again before it acts, and calls [`Decision::still_holds`] to check that the
/// answer was about the same action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Whether the action is allowed, needs a person's answer, or is denied.
    pub effect: Effect,
    /// The reason for the effect, such as the rule or the built-in protection that decided.
    pub reason: Reason,
    /// The files or the command that the decision is about.
    pub covers: Covers,
}

/// The files or the command that a decision is about.
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
    /// Whether an approval of this decision also approves `now`, a later decision about the same
    /// action. It does not if the action is now denied, if it leads to other files, or if it now
    /// needs approval for a reason that the question about `self` did not show.
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

    /// Returns why the action is denied, as a text for the model and the person.
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

    /// Returns the reason for asking, as a sentence for the person; `None` if the mode is the
    /// reason.
    pub fn why_it_asks(&self) -> Option<String> {
        let plain =
            matches!(self.reason, Reason::Mode | Reason::Mcp | Reason::Fetch | Reason::NoSandbox);
        (!plain).then(|| format!("Asks because {}.", self.reason))
    }
}

/// An effect and its reason, without the action that they cover.
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

    /// Returns the stricter of two verdicts. If both have the same effect, the more specific reason
    /// wins: a rule, then a property of the action, then the mode.
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

/// The reason of a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The action touches nothing outside of the session.
    Nothing,
    /// The action reads files of the session's folders.
    Reads,
    /// Every command of the line is known only to read.
    ReadOnly,
    /// The session's mode decides.
    Mode,
    /// A sandbox restricts the action.
    Sandbox,
    /// The mode is Auto, and no sandbox restricts the command.
    NoSandbox,
    /// The action can reach the network.
    Network,
    /// The agent asks to run the command without the sandbox that works here.
    Unsandboxed,
    /// The project's configuration can make the command run programs.
    Project,
    /// This rule decides.
    Rule(Box<Rule>),
    /// No rule is about the call that an agent asks permission for.
    NoRule,
    /// The action could read or change a file that usually holds secrets.
    Secret,
    /// The action could change a file that affects how programs or agents run.
    Guarded,
    /// The action uses a path outside of the session's folders.
    Outside,
    /// The command line cannot be parsed, for this reason.
    NotUnderstood(&'static str),
    /// A file of rules cannot be read, so its denials are unknown.
    BrokenRules,
    /// No rule allows this tool of an MCP server.
    Mcp,
    /// No rule allows this address, or it is not an address.
    Fetch,
}

impl Reason {
    /// The name of the reason in the corpus.
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

/// The reason as a clause that follows the word "because".
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("it touches nothing"),
            Self::Reads | Self::ReadOnly => f.write_str("it only reads"),
            Self::Mode => f.write_str("the session's mode requires it"),
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
