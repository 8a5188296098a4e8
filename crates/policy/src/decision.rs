//! What is to be done about an action, and why.

use std::fmt;

/// What is to be done about an action. A later one is stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decision {
    /// It runs.
    Run,
    /// A person is asked.
    Ask,
    /// It does not run.
    Refuse,
}

/// A decision and its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// What is to be done.
    pub decision: Decision,
    /// Why.
    pub reason: Reason,
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
    /// A sandbox holds it.
    Sandbox,
    /// In the mode Auto, and no sandbox holds it.
    NoSandbox,
    /// It may reach the network.
    Network,
    /// The agent asks to run it without the sandbox that works here.
    Unsandboxed,
    /// The project's configuration can make it run programs.
    Project,
    /// A rule says so, in its words.
    Rule(String),
    /// It may read or change a file that usually holds secrets.
    Secret,
    /// It may change a file that programs or agents obey.
    Guarded,
    /// It reaches outside of the session's folders.
    Outside,
    /// Nobody knows what the command line would run, for this reason.
    NotUnderstood(&'static str),
    /// A file of rules cannot be read, so nobody knows what it forbids.
    BrokenRules,
    /// A tool of a server that no rule allows.
    Mcp,
    /// An address that no rule allows, or none at all.
    Fetch,
}

impl Verdict {
    pub(crate) fn run(reason: Reason) -> Self {
        Self { decision: Decision::Run, reason }
    }

    pub(crate) fn ask(reason: Reason) -> Self {
        Self { decision: Decision::Ask, reason }
    }

    pub(crate) fn refuse(reason: Reason) -> Self {
        Self { decision: Decision::Refuse, reason }
    }

    /// The stricter of two. Of two alike the one that says more: a rule, then what the action
    /// reaches, then the mode.
    pub(crate) fn and(self, other: Self) -> Self {
        let weight = |verdict: &Self| match &verdict.reason {
            Reason::Rule(_) => 3,
            Reason::Secret | Reason::Guarded | Reason::Outside | Reason::NotUnderstood(_) => 2,
            Reason::Nothing | Reason::Reads | Reason::ReadOnly => 0,
            _ => 1,
        };
        match (other.decision, weight(&other)) > (self.decision, weight(&self)) {
            true => other,
            false => self,
        }
    }

    /// Why it is refused, for the model and the person.
    pub fn why(&self) -> String {
        match &self.reason {
            Reason::Mode => {
                "the session's mode is Plan, in which nothing is changed or run".to_owned()
            }
            Reason::Fetch => {
                "this is no address of the web: only http and https are fetched".to_owned()
            }
            reason => reason.to_string(),
        }
    }

    /// Why it asks, in a sentence for the person; nothing where the mode says enough.
    pub fn why_it_asks(&self) -> Option<String> {
        let plain =
            matches!(self.reason, Reason::Mode | Reason::Mcp | Reason::Fetch | Reason::NoSandbox);
        (!plain).then(|| format!("Asks because {}.", self.reason))
    }

    pub(crate) fn is_by_rule(&self) -> bool {
        matches!(self.reason, Reason::Rule(_))
    }
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
            Self::Sandbox => f.write_str("a sandbox holds it"),
            Self::NoSandbox => f.write_str("no sandbox holds it"),
            Self::Network => f.write_str("it may reach the network"),
            Self::Unsandboxed => f.write_str("it would run without the sandbox"),
            Self::Project => {
                f.write_str("the project's own configuration can make it run programs")
            }
            Self::Rule(rule) => f.write_str(rule),
            Self::Secret => f.write_str("it may touch a file that holds secrets"),
            Self::Guarded => f.write_str("it may change a file that programs or agents obey"),
            Self::Outside => f.write_str("it reaches outside of the session's folders"),
            Self::NotUnderstood(why) => write!(f, "nobody can tell what it would run: {why}"),
            Self::BrokenRules => {
                f.write_str("a file of rules is broken, so nobody knows what it forbids")
            }
            Self::Mcp => f.write_str("no rule allows this tool"),
            Self::Fetch => f.write_str("no rule allows this address"),
        }
    }
}
