//! A client that is attached to the hub.

use crate::Scope;
use std::fmt;
use std::sync::Mutex;
use tokio::sync::watch;

/// Identifies an attached client until the hub ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientId(pub u64);

/// Identifies a device for good: it stays the same when the device connects again.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceId(pub String);

/// Where a client is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// On this machine, as the person's own process, through the Unix socket. It may serve the file
    /// and terminal calls of the sessions that it created.
    Socket,
    /// Anywhere, over TCP, as this device. It serves no file or terminal calls, chooses agents by
    /// configured name only, opens only allowed folders and defines no stdio MCP servers.
    Device(DeviceId),
}

/// A client that is attached to the hub: one connection of an ACP client or of a page.
#[derive(Debug)]
pub struct AttachedClient {
    /// The id of the connection.
    pub id: ClientId,
    /// Where the client is.
    pub place: Place,
    /// The name with which it was attached.
    given_name: String,
    /// What the audit calls it, such as `phone` or `zed`. From outside: not sanitized.
    name: Mutex<String>,
    /// `None` once the device was revoked: the connection must end.
    scope: watch::Receiver<Option<Scope>>,
    /// The agent of new sessions that name none.
    default_agent: Option<String>,
}

impl AttachedClient {
    /// Returns a client. `scope` may change while it is attached; `None` ends the connection.
    pub fn new(
        id: ClientId,
        place: Place,
        name: impl Into<String>,
        scope: watch::Receiver<Option<Scope>>,
    ) -> Self {
        let given_name = name.into();
        let name = Mutex::new(given_name.clone());
        Self { id, place, given_name, name, scope, default_agent: None }
    }

    /// Whether the client is on another machine, or may be.
    pub fn is_remote(&self) -> bool {
        matches!(self.place, Place::Device(_))
    }

    /// Sets the agent of new sessions that name none, as the person would choose it.
    #[must_use]
    pub fn with_default_agent(mut self, agent: Option<String>) -> Self {
        self.default_agent = agent;
        self
    }

    /// The agent of new sessions that name none: one of [`HubServices::agents`], or for a client on
    /// this machine also a command line. `None` means the first of them.
    ///
    /// [`HubServices::agents`]: crate::HubServices::agents
    pub fn default_agent(&self) -> Option<String> {
        self.default_agent.clone()
    }

    /// What the client may do now; `None` if its device was revoked.
    pub fn scope(&self) -> Option<Scope> {
        *self.scope.borrow()
    }

    /// Returns whether the client may do what this scope allows.
    pub fn may(&self, scope: Scope) -> bool {
        self.scope().is_some_and(|own| own >= scope)
    }

    /// A receiver that says when the scope changes.
    pub fn scope_changes(&self) -> watch::Receiver<Option<Scope>> {
        self.scope.clone()
    }

    /// What the audit calls the client.
    pub fn name(&self) -> String {
        self.name.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// Notes what the client calls itself. A client of this machine has this name from now on; a
    /// device keeps its own, with this one in parentheses, so that the audit always names it.
    pub fn introduce(&self, called: &str) {
        let mut name = self.name.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *name = match &self.place {
            Place::Socket => called.to_owned(),
            Place::Device(id) => format!("{} (device {id}, {called})", self.given_name),
        };
    }
}

impl fmt::Display for ClientId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for DeviceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
