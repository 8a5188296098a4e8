//! The clients that are attached to the hub.

use crate::Scope;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
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

/// The agents that a client uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Uses {
    /// Any agent. New sessions that name none get this one, or else the first to choose from.
    Any(Option<String>),
    /// Only the agent with this name in the hub: see [`AttachedClient::only_agent`].
    Only(String),
}

/// A client that is attached to the hub: one connection of an ACP client or of a page. Dropping
/// this detaches it.
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
    uses: Uses,
    shows_questions: AtomicBool,
    /// The list that it is in.
    list: Weak<AttachedClients>,
}

/// The clients that are attached to a hub, and their number.
#[derive(Debug, Default)]
pub(crate) struct AttachedClients {
    table: Mutex<Table>,
    count: watch::Sender<usize>,
}

#[derive(Debug, Default)]
struct Table {
    last: u64,
    clients: BTreeMap<ClientId, Weak<AttachedClient>>,
}

impl AttachedClients {
    /// Adds a client, until it is dropped. `scope` may change meanwhile; `None` ends the
    /// connection.
    pub(crate) fn attach(
        self: &Arc<Self>,
        place: Place,
        name: String,
        scope: watch::Receiver<Option<Scope>>,
        uses: Uses,
    ) -> Arc<AttachedClient> {
        let (given_name, list) = (name.clone(), Arc::downgrade(self));
        let name = Mutex::new(name);
        let shows_questions = AtomicBool::new(false);
        let mut table = self.table();
        table.last += 1;
        let id = ClientId(table.last);
        let client = Arc::new(AttachedClient {
            id,
            place,
            given_name,
            name,
            scope,
            uses,
            shows_questions,
            list,
        });
        table.clients.insert(id, Arc::downgrade(&client));
        self.count.send_replace(table.clients.len());
        client
    }

    /// The clients.
    pub(crate) fn list(&self) -> Vec<Arc<AttachedClient>> {
        // No handle is dropped under the lock, which the drop of the last one takes.
        self.table().clients.values().filter_map(Weak::upgrade).collect()
    }

    /// How many clients there are, and when that changes.
    pub(crate) fn count(&self) -> watch::Receiver<usize> {
        self.count.subscribe()
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for AttachedClient {
    fn drop(&mut self) {
        let Some(list) = self.list.upgrade() else { return };
        let mut table = list.table();
        table.clients.remove(&self.id);
        list.count.send_replace(table.clients.len());
    }
}

impl AttachedClient {
    /// Whether the client is on another machine, or may be.
    pub fn is_remote(&self) -> bool {
        matches!(self.place, Place::Device(_))
    }

    /// The agent of new sessions that name none: one of [`HubServices::agents`], or for a client on
    /// this machine also a command line. `None` means the first of them.
    ///
    /// [`HubServices::agents`]: crate::HubServices::agents
    pub fn default_agent(&self) -> Option<String> {
        match &self.uses {
            Uses::Any(agent) => agent.clone(),
            Uses::Only(agent) => Some(agent.clone()),
        }
    }

    /// The name of the only agent that the client uses; `None` if it uses any. For such a client,
    /// the hub is this agent: it lists only its sessions, by the ids that they have at the agent.
    /// The client takes part in every session that it attaches, and has negotiated the methods
    /// `_attache/*`.
    pub fn only_agent(&self) -> Option<&str> {
        match &self.uses {
            Uses::Any(_) => None,
            Uses::Only(agent) => Some(agent),
        }
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
        self.name.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes that the client shows open questions: it watches the hub or a session by the methods
    /// `_attache/*`.
    pub(crate) fn set_shows_questions(&self) {
        self.shows_questions.store(true, Ordering::Relaxed);
    }

    /// Whether the client shows open questions, and may answer them.
    pub(crate) fn may_answer_what_it_shows(&self) -> bool {
        self.shows_questions.load(Ordering::Relaxed) && self.may(Scope::Answer)
    }

    /// Notes what the client calls itself. A client of this machine has this name from now on; a
    /// device keeps its own, with this one in parentheses, so that the audit always names it.
    pub fn introduce(&self, called: &str) {
        let mut name = self.name.lock().unwrap_or_else(PoisonError::into_inner);
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
