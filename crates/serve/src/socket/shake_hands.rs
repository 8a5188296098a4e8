//! The first lines of a connection.

use crate::devices::{Device, Grant};
use crate::{DeviceId, Scope};
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
    /// For ACP, whether the client uses only this agent: see [`Wants::AcpOfAgent`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only: bool,
    /// For an end, whether the hub first waits until no turn runs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after_turns: bool,
    /// For devices, what changes; they are only listed if it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<DeviceChange>,
}

/// A change of the devices that may reach a hub over TCP.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum DeviceChange {
    /// Make a one-time code for another device.
    Add {
        /// What the device may do.
        scope: Scope,
    },
    /// Change what a device may do.
    Grant {
        /// The id of the device.
        id: String,
        /// What it may do.
        #[serde(flatten)]
        grant: Grant,
    },
    /// Take the access of a device away. Its connections end.
    Revoke {
        /// The id of the device.
        id: String,
    },
}

/// What a client wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wants {
    /// Plain ACP, with this agent for new sessions that name none.
    Acp {
        /// The agent.
        agent: Option<String>,
    },
    /// ACP with the sessions of one agent only, for a front end that shows the hub's sessions as
    /// its own: see [`AttachedClient::only_agent`](crate::AttachedClient::only_agent).
    AcpOfAgent {
        /// The agent: one of those to choose from, or a command line.
        agent: String,
    },
    /// The status of the hub.
    Status,
    /// The devices that may reach the hub over TCP, after this change.
    Devices(Option<DeviceChange>),
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
        let hello = |wants: &str| Hello {
            attache: version.to_owned(),
            wants: wants.to_owned(),
            agent: None,
            only: false,
            after_turns: false,
            change: None,
        };
        match self {
            Self::Acp { agent } => Hello { agent, ..hello("acp") },
            Self::AcpOfAgent { agent } => Hello { agent: Some(agent), only: true, ..hello("acp") },
            Self::Status => hello("status"),
            Self::Devices(change) => Hello { change, ..hello("devices") },
            Self::Stop { after_turns } => Hello { after_turns, ..hello("stop") },
            Self::Restart { after_turns } => Hello { after_turns, ..hello("restart") },
        }
    }

    /// Returns what a client wants; `None` if this version does not know it.
    pub fn of(hello: &Hello) -> Option<Self> {
        let after_turns = hello.after_turns;
        match hello.wants.as_str() {
            "acp" if hello.only => Some(Self::AcpOfAgent { agent: hello.agent.clone()? }),
            "acp" => Some(Self::Acp { agent: hello.agent.clone() }),
            "status" => Some(Self::Status),
            "devices" => Some(Self::Devices(hello.change.clone())),
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
        /// Where the hub stores sessions and checkpoints, in words that are the same for the same
        /// places.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        stores: String,
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
    /// The devices, after a change.
    Devices {
        /// The devices, in the order in which they were added.
        devices: Vec<DeviceStatus>,
        /// The address of the login page with the code that was made.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        login: Option<String>,
    },
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
    /// The hub cannot use the agent.
    Agent,
    /// The hub has no devices, or not this one.
    Devices,
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
    /// The address of its page, if it serves one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
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

/// A device that may reach a hub over TCP.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceStatus {
    /// Its id.
    pub id: String,
    /// Its name, which it chose itself.
    pub name: String,
    /// What it may do.
    pub scope: Scope,
    /// Whether it may also allow access to protected files.
    #[serde(default)]
    pub protected_files: bool,
    /// The larger scope that it asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asks_for: Option<Scope>,
    /// When it was added, in milliseconds since 1970.
    pub added_at: i64,
    /// When it was last used, in milliseconds since 1970.
    pub used_at: i64,
}

impl DeviceStatus {
    pub(super) fn of(device: Device, asks_for: Option<Scope>) -> Self {
        let Device { id: DeviceId(id), name, scope, protected_files, added_at, used_at } = device;
        Self { id, name, scope, protected_files, asks_for, added_at, used_at }
    }
}

/// An agent of a hub.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentStatus {
    /// The name.
    pub name: String,
    /// What it does, in words for a person.
    pub state: String,
}
