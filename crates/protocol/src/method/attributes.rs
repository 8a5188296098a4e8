//! The attributes of a method.

/// One end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The editor, terminal or web page.
    Client,
    /// The coding agent.
    Agent,
}

impl Side {
    /// Returns `client` or `agent`, the word in messages and records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Agent => "agent",
        }
    }

    /// Returns the other end.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Client => Self::Agent,
            Self::Agent => Self::Client,
        }
    }
}

/// Which end receives a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Receiver {
    /// Agents.
    Agent,
    /// Clients.
    Client,
    /// Either end.
    Both,
    /// A proxy or its conductor. This workspace defines the types of these methods, but does not
    /// dispatch them.
    Proxy,
}

/// Whether a method has a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Answered exactly once.
    Call,
    /// Never answered.
    Notification,
}

/// The scope of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The connection as a whole.
    Connection,
    /// The session named by `params.sessionId`.
    Session,
}

/// How stable a part of the protocol is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stability {
    /// In the stable schema.
    Stable,
    /// Only in the unstable schema.
    Unstable,
    /// Removed from the schema. It is still read from old peers, but sent only on request.
    Retired,
}

/// How long a caller should expect to wait. The caller chooses the durations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Deadline {
    /// The first exchange. A peer that does not answer this call will not answer later ones.
    Handshake,
    /// A look-up or a change of a setting.
    Quick,
    /// The start of a session: history, MCP servers, a login.
    Setup,
    /// A turn, a question to the user or a running command. It has no deadline.
    Open,
}
