//! Gates: capabilities that the receiver must have advertised.

use crate::v1::{AgentCapabilities, ClientCapabilities};
use crate::v2;

/// The rule against sending methods, updates and fields that the receiver did not advertise. Some
/// rows name a more specific rule.
pub const GENERAL_GATE_RULE: &str = "INIT-16";

/// The capability that a receiver must have advertised before a method, update or field may be
/// sent.
#[derive(Debug, Clone, Copy)]
pub enum Gate {
    /// Always allowed.
    Always,
    /// Allowed by something other than a capability, such as an earlier reply. The text describes
    /// it.
    Condition(&'static str),
    /// Allowed by the agent's capability at this path under `agentCapabilities`.
    Agent(&'static str, fn(&AgentCapabilities) -> bool),
    /// Allowed by the client's capability at this path under `clientCapabilities`.
    Client(&'static str, fn(&ClientCapabilities) -> bool),
    /// In version 2, allowed by the agent's capability at this path of the result of `initialize`.
    AgentV2(&'static str, fn(&v2::AgentCapabilities) -> bool),
    /// In version 2, allowed by the client's capability at this path of the params of `initialize`.
    ClientV2(&'static str, fn(&v2::ClientCapabilities) -> bool),
}

impl Gate {
    /// Returns the path of the capability, for messages and reports.
    pub fn path(&self) -> Option<&'static str> {
        match self {
            Self::Always | Self::Condition(_) => None,
            Self::Agent(path, _)
            | Self::Client(path, _)
            | Self::AgentV2(path, _)
            | Self::ClientV2(path, _) => Some(path),
        }
    }

    /// Returns whether an agent with these capabilities of version 1 opens the gate. Gates that
    /// depend on the client count as open, and gates of version 2 as closed.
    pub fn opened_by_agent(&self, capabilities: &AgentCapabilities) -> bool {
        match self {
            Self::Agent(_, is_open) => is_open(capabilities),
            Self::Always | Self::Condition(_) | Self::Client(..) => true,
            Self::AgentV2(..) | Self::ClientV2(..) => false,
        }
    }

    /// Returns whether a client with these capabilities of version 1 opens the gate. Gates that
    /// depend on the agent count as open, and gates of version 2 as closed.
    pub fn opened_by_client(&self, capabilities: &ClientCapabilities) -> bool {
        match self {
            Self::Client(_, is_open) => is_open(capabilities),
            Self::Always | Self::Condition(_) | Self::Agent(..) => true,
            Self::AgentV2(..) | Self::ClientV2(..) => false,
        }
    }

    /// Like [`Gate::opened_by_agent`], for version 2.
    pub fn opened_by_v2_agent(&self, capabilities: &v2::AgentCapabilities) -> bool {
        match self {
            Self::AgentV2(_, is_open) => is_open(capabilities),
            Self::Always | Self::Condition(_) | Self::ClientV2(..) => true,
            Self::Agent(..) | Self::Client(..) => false,
        }
    }

    /// Like [`Gate::opened_by_client`], for version 2.
    pub fn opened_by_v2_client(&self, capabilities: &v2::ClientCapabilities) -> bool {
        match self {
            Self::ClientV2(_, is_open) => is_open(capabilities),
            Self::Always | Self::Condition(_) | Self::AgentV2(..) => true,
            Self::Agent(..) | Self::Client(..) => false,
        }
    }
}
