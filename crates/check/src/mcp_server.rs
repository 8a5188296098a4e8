//! MCP servers that the judge is itself, to see which of them an agent reaches, with what it was
//! given for them, and that it calls their tools.
//!
//! What a server answers is worked out without any I/O in [`conversation`], to which several ways
//! lead: the program that an agent starts for stdio is a relay to [`stdio`], what it sends over
//! HTTP comes to [`http`], and an agent in memory has an [`McpReach`].
//!
//! The servers are written by hand, on the HTTP library that the judge's model has: a library for
//! good servers does not keep silent, end or hold a call back when it is told to, and what a tool
//! takes to be called are four methods.

mod conversation;
mod http;
mod stdio;

pub(crate) use conversation::{Manner, McpServer, Seen, Transport};

use crate::{Door, mcp_server::http::Http};
use conversation::Met;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::task::JoinSet;

/// The MCP servers of a run. They end when this is dropped.
///
/// ```no_run
/// # async fn example() -> std::io::Result<()> {
/// use attache_check::McpServers;
///
/// let servers = McpServers::listen(["/usr/bin/attache", "check", "relay"])?;
/// # drop(servers);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct McpServers {
    reach: McpReach,
    place: Place,
    _serving: JoinSet<()>,
}

/// The servers as an agent in memory reaches them: cheap to clone.
#[derive(Clone, Default)]
pub struct McpReach {
    servers: Arc<Mutex<BTreeMap<String, Arc<McpServer>>>>,
}

/// Where agents find the servers.
#[derive(Debug)]
struct Place {
    /// What an agent starts for stdio, and its arguments before the name of the server.
    command: String,
    arguments: Vec<String>,
    /// What stands in an address before the name of the server.
    url: String,
}

/// A server as somebody has reached it.
#[derive(Debug)]
pub struct McpConnection(Met);

impl McpServers {
    /// Servers for agents that are processes, on loopback ports that the system chooses. It needs a
    /// tokio runtime.
    ///
    /// `relay` is the absolute path of a program and its first arguments, such as
    /// `/usr/bin/attache check relay`. An agent starts it with an address, a token, `--mcp` and the
    /// name of a server. It [enters](crate::enter) the door at that address, tells
    /// `{"server": NAME, "environment": {NAME: VALUE, …}}` with those of its variables that begin
    /// with `ATTACHE_CHECK_`, and then passes every byte.
    ///
    /// # Errors
    /// The system has no port or no random bytes.
    pub fn listen(relay: impl IntoIterator<Item = impl Into<String>>) -> io::Result<Self> {
        let (reach, door, http) = (McpReach::default(), Door::open()?, Http::open()?);
        let mut words = relay.into_iter().map(Into::into);
        let command = words.next().unwrap_or_default();
        let arguments =
            words.chain([door.address().to_string(), door.token().to_owned()]).collect();
        let place = Place { command, arguments, url: http.url() };
        let mut serving = JoinSet::new();
        serving.spawn(stdio::serve(door, reach.clone()));
        serving.spawn(http.serve(reach.clone()));
        Ok(Self { reach, place, _serving: serving })
    }

    /// Servers for agents in memory, which come to them by [`reach`](Self::reach) and no other way.
    pub fn in_memory() -> Self {
        let (command, url) = ("/attache/check/relay".to_owned(), "http://127.0.0.1:0/".to_owned());
        let place = Place { command, arguments: Vec::new(), url };
        Self { reach: McpReach::default(), place, _serving: JoinSet::new() }
    }

    /// The way to them without a socket.
    pub fn reach(&self) -> McpReach {
        self.reach.clone()
    }

    /// A new server, which behaves like this.
    pub(crate) fn add(&self, transport: Transport, manner: Manner) -> Arc<McpServer> {
        let mut servers = self.reach.servers();
        let server = Arc::new(McpServer::new(servers.len() + 1, transport, manner, &self.place));
        servers.insert(server.name().to_owned(), Arc::clone(&server));
        server
    }
}

impl McpReach {
    fn servers(&self) -> MutexGuard<'_, BTreeMap<String, Arc<McpServer>>> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, name: &str) -> Option<Arc<McpServer>> {
        self.servers().get(name).cloned()
    }

    /// Starts the server that these arguments, of its entry in `mcpServers`, stand for, with these
    /// variables. Nothing if there is none, or if it ends at once.
    pub fn start(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Option<McpConnection> {
        let server = self.find(arguments.last()?)?;
        Met::new(server, environment.iter().copied()).map(McpConnection)
    }

    /// Reaches the server at this address of `mcpServers`, with these headers.
    pub fn connect(&self, url: &str, headers: &[(&str, &str)]) -> Option<McpConnection> {
        let server = self.find(url.rsplit('/').next()?)?;
        Met::new(server, headers.iter().copied()).map(McpConnection)
    }
}

impl fmt::Debug for McpReach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.servers().keys()).finish()
    }
}

impl McpConnection {
    /// The server's answer to a message. Nothing to a notification, and nothing if it keeps silent.
    pub fn answer(&self, message: &Value) -> Option<Value> {
        self.0.answer(message)
    }
}

#[cfg(test)]
mod tests;
