//! Gates: capabilities that the receiver must have advertised.

use crate::v1::{AgentCapabilities, ClientCapabilities};

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
}

impl Gate {
    /// Returns the path of the capability, for messages and reports.
    pub fn path(&self) -> Option<&'static str> {
        match self {
            Self::Always | Self::Condition(_) => None,
            Self::Agent(path, _) | Self::Client(path, _) => Some(path),
        }
    }

    /// Returns whether an agent with these capabilities opens the gate. Gates that depend on the
    /// client count as open.
    pub fn opened_by_agent(&self, capabilities: &AgentCapabilities) -> bool {
        match self {
            Self::Agent(_, is_open) => is_open(capabilities),
            Self::Always | Self::Condition(_) | Self::Client(..) => true,
        }
    }

    /// Returns whether a client with these capabilities opens the gate. Gates that depend on the
    /// agent count as open.
    pub fn opened_by_client(&self, capabilities: &ClientCapabilities) -> bool {
        match self {
            Self::Client(_, is_open) => is_open(capabilities),
            Self::Always | Self::Condition(_) | Self::Agent(..) => true,
        }
    }
}
