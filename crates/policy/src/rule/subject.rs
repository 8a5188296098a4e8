//! The subject of a rule: the actions that it is about.

use super::call::CallPattern;
use super::effect::Effect;
use super::pattern::Pattern;
use crate::command;
use crate::shell::Part;
use crate::text::{code, one_line};
use serde::{Deserialize, Serialize};
use std::fmt;
use url::Url;

/// The actions that a rule is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Subject {
    /// Commands that begin with these words.
    Command(Vec<String>),
    /// This command line, character by character.
    Line(String),
    /// Reading these files.
    Reads(Pattern),
    /// Creating, changing, moving and deleting these files.
    Changes(Pattern),
    /// Every use of this tool of the agent.
    Tool(String),
    /// The tools of an MCP server, or one of them.
    Mcp {
        /// The name of the server.
        server: String,
        /// The tool; `None` means all tools of the server.
        tool: Option<String>,
    },
    /// Fetching from a host. The value is the host's name, preceded by `*.` for all hosts below it
    /// and followed by the port unless that is the default one.
    Host(String),
    /// A tool call that an agent asks permission for, as the agent describes it.
    Call(CallPattern),
    /// Runs of commands that have no sandbox or can reach the network. An allowing rule with any
    /// other subject covers only runs in a sandbox without the network.
    Beyond {
        /// The commands.
        commands: Box<Subject>,
        /// Whether the subject is about runs without a sandbox.
        unsandboxed: bool,
        /// Whether the subject is about runs in a sandbox that can reach the network.
        network: bool,
    },
}

/// How a command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run {
    /// Whether a sandbox restricts the command.
    pub(crate) sandboxed: bool,
    /// Whether the command can reach the network; always true without a sandbox.
    pub(crate) network: bool,
}

impl Subject {
    /// Returns this subject for commands that run in this way.
    pub(crate) fn for_run(self, run: Run) -> Self {
        match run {
            Run { sandboxed: true, network: false } => self,
            Run { sandboxed, network } => Self::Beyond {
                commands: Box::new(self),
                unsandboxed: !sandboxed,
                network: sandboxed && network,
            },
        }
    }

    /// The commands of the subject, regardless of how they run.
    pub(crate) fn commands(&self) -> &Self {
        match self {
            Self::Beyond { commands, .. } => commands,
            other => other,
        }
    }

    /// Whether the subject covers commands that run in this way. Unless it says otherwise, the
    /// subject of a rule that allows covers only runs in a sandbox without the network, and the
    /// subject of a rule that asks or denies covers every run.
    pub(crate) fn covers(&self, effect: Effect, run: Run) -> bool {
        let plain = run.sandboxed && !run.network;
        match (self, effect) {
            (Self::Beyond { unsandboxed, .. }, _) if !run.sandboxed => *unsandboxed,
            (Self::Beyond { network, unsandboxed, .. }, Effect::Allow) => {
                plain || *network || *unsandboxed
            }
            (Self::Beyond { network, .. }, _) => *network && run.network,
            (_, Effect::Allow) => plain,
            _ => true,
        }
    }

    /// Whether the subject is about this command. The subject of a rule that allows covers only
    /// commands that begin with exactly its words. The subject of a rule that asks or denies also
    /// covers commands that run such a command.
    pub(crate) fn is_about_command(&self, part: &Part, effect: Effect) -> bool {
        match self {
            Self::Command(words) if effect == Effect::Allow => command::begins_with(part, words),
            Self::Command(words) => command::comes_to(part, words),
            Self::Tool(tool) => tool == "execute",
            Self::Beyond { commands, .. } => commands.is_about_command(part, effect),
            _ => false,
        }
    }

    /// Whether the subject is about fetching this address.
    pub(crate) fn is_about_address(&self, url: &Url) -> bool {
        match self {
            Self::Host(host) => {
                let (host, port) = match host.rsplit_once(':') {
                    Some((host, port)) => (host, port.parse().ok()),
                    None => (host.as_str(), None),
                };
                let there = url.host_str().unwrap_or_default().trim_end_matches('.');
                let same = match host.strip_prefix("*.") {
                    Some(above) => {
                        there.strip_suffix(above).is_some_and(|below| below.ends_with('.'))
                    }
                    None => there == host,
                };
                same && url.port() == port
            }
            Self::Tool(tool) => tool == "fetch",
            _ => false,
        }
    }

    /// Whether the subject is about this tool of this server.
    pub(crate) fn is_about_mcp(&self, called: &str, used: &str) -> bool {
        match self {
            Self::Mcp { server, tool } => {
                server == called && tool.as_ref().is_none_or(|tool| tool == used)
            }
            _ => false,
        }
    }
}

/// The host of an address, as a rule names it.
pub(crate) fn host_of(url: &Url) -> Option<String> {
    let host = url.host_str()?.trim_end_matches('.');
    Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}

/// The subject in words for people, as shown after "Always allow" (PERM-07).
impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = |text: &str| code(&one_line(text, 80));
        match self {
            Self::Command(words) => {
                write!(f, "commands that start with {}", short(&words.join(" ")))
            }
            Self::Line(line) => write!(f, "exactly {}", short(line)),
            Self::Reads(pattern) => write!(f, "reads of {}", short(pattern.text())),
            Self::Changes(pattern) if pattern.text() == "**" => f.write_str("edits"),
            Self::Changes(pattern) => write!(f, "edits of {}", short(pattern.text())),
            Self::Tool(tool) => write!(f, "uses of {}", short(tool)),
            Self::Mcp { server, tool: Some(tool) } => {
                write!(f, "uses of {} of the server {}", short(tool), short(server))
            }
            Self::Mcp { server, tool: None } => write!(f, "uses of the server {}", short(server)),
            Self::Host(host) => write!(f, "fetches from {}", short(host)),
            Self::Call(call) => call.fmt(f),
            Self::Beyond { commands, unsandboxed, network } => {
                let how = match (unsandboxed, network) {
                    (true, true) => " without a sandbox or with the network",
                    (true, false) => " without a sandbox",
                    _ => " with the network",
                };
                write!(f, "{commands}{how}")
            }
        }
    }
}
