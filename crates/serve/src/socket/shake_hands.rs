//! The first lines of a connection.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The first line of a client. A hub ignores members that it does not know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The version of the client.
    pub attache: String,
    /// What the client wants: see [`Wants`].
    pub wants: String,
    /// For ACP, the agent of new sessions that name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// For an end, whether the hub first waits until no turn runs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after_turns: bool,
}

/// What a client wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wants {
    /// Plain ACP, with this agent for new sessions that name none.
    Acp {
        /// The agent.
        agent: Option<String>,
    },
    /// The status of the hub.
    Status,
    /// The end of the hub.
    Stop {
        /// Whether the hub first waits until no turn runs.
        after_turns: bool,
    },
    /// The end of the hub, and a new start with the same arguments.
    Restart {
        /// Whether the hub first waits until no turn runs.
        after_turns: bool,
    },
}

impl Wants {
    /// Returns the first line of a client of this version.
    pub fn hello(self, version: &str) -> Hello {
        let (wants, agent, after_turns) = match self {
            Self::Acp { agent } => ("acp", agent, false),
            Self::Status => ("status", None, false),
            Self::Stop { after_turns } => ("stop", None, after_turns),
            Self::Restart { after_turns } => ("restart", None, after_turns),
        };
        Hello { attache: version.to_owned(), wants: wants.to_owned(), agent, after_turns }
    }

    /// Returns what a client wants; `None` if this version does not know it.
    pub fn of(hello: &Hello) -> Option<Self> {
        let after_turns = hello.after_turns;
        match hello.wants.as_str() {
            "acp" => Some(Self::Acp { agent: hello.agent.clone() }),
            "status" => Some(Self::Status),
            "stop" => Some(Self::Stop { after_turns }),
            "restart" => Some(Self::Restart { after_turns }),
            _ => None,
        }
    }
}

/// A line of the hub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case")]
pub enum Reply {
    /// The stream is ACP from now on.
    Welcome {
        /// The version of the hub.
        attache: String,
    },
    /// The hub does not do what the client wants.
    Refused {
        /// The version of the hub.
        attache: String,
        /// The kind of reason.
        kind: RefusalKind,
        /// The reason, in words for a person.
        message: String,
    },
    /// The status of the hub.
    Status(Status),
    /// The hub waits for turns before it ends.
    Waiting {
        /// The turns that run.
        running: usize,
        /// The turns that wait for an answer of a person.
        waiting: usize,
    },
    /// The hub ends.
    Ending,
}

/// Why a hub refuses a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalKind {
    /// The versions of client and hub differ.
    Version,
    /// The process must not use the hub.
    Peer,
    /// The first line is wrong, or wants what this version does not know.
    Hello,
    /// Too many clients are connected.
    Busy,
}

/// The status of a hub.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// The version of the hub.
    pub attache: String,
    /// The name of the hub.
    pub name: String,
    /// Its process id.
    pub pid: u32,
    /// Its socket.
    pub socket: PathBuf,
    /// How long it has run, in seconds.
    pub uptime: u64,
    /// The clients that are attached.
    pub clients: usize,
    /// The open sessions.
    pub sessions: usize,
    /// The sessions with a turn that runs.
    #[serde(rename = "running_turns")]
    pub running: usize,
    /// The sessions whose turn waits for an answer of a person.
    #[serde(rename = "waiting_turns")]
    pub waiting: usize,
    /// The agents of the hub.
    pub agents: Vec<AgentStatus>,
}

/// An agent of a hub.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentStatus {
    /// The name.
    pub name: String,
    /// What it does, in words for a person.
    pub state: String,
}
