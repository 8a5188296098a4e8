//! MCP servers that the judge is itself, to see which of them an agent reaches, with what it was
//! given for them, and that it calls their tools.
//!
//! What a server answers is worked out without any I/O in [`server`], to which several ways
//! lead: the program that an agent starts for stdio is a relay to [`stdio`], what it sends over
//! HTTP comes to [`http`], and an agent in memory has an [`McpReach`].
//!
//! The servers are written by hand, on the HTTP library that the judge's model has: a library for
//! good servers does not keep silent, end or hold a call back when it is told to, and what a tool
//! takes to be called are four methods.

mod http;
mod reach;
mod server;
mod stdio;

pub use reach::{McpConnection, McpReach};
pub(crate) use server::{McpServer, Seen, ServerBehavior, Transport};

use crate::peer::relay::RelayListener;
use http::Http;
use server::ServerAddresses;
use std::io;
use std::sync::Arc;
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
    place: ServerAddresses,
    _serving: JoinSet<()>,
}

impl McpServers {
    /// Servers for agents that are processes, on loopback ports that the system chooses. It needs a
    /// tokio runtime.
    ///
    /// `relay` is the absolute path of a program and its first arguments, such as
    /// `/usr/bin/attache check relay`. An agent starts it with an address, a token, `--mcp` and the
    /// name of a server. It [enters](crate::connect_relay) the door at that address, tells
    /// `{"server": NAME, "environment": {NAME: VALUE, …}}` with those of its variables that begin
    /// with `ATTACHE_CHECK_`, and then passes every byte.
    ///
    /// # Errors
    /// The system has no port or no random bytes.
    pub fn listen(relay: impl IntoIterator<Item = impl Into<String>>) -> io::Result<Self> {
        let (reach, door, http) = (McpReach::default(), RelayListener::open()?, Http::open()?);
        let mut words = relay.into_iter().map(Into::into);
        let command = words.next().unwrap_or_default();
        let arguments =
            words.chain([door.address().to_string(), door.token().to_owned()]).collect();
        let place = ServerAddresses { command, arguments, url: http.url() };
        let mut serving = JoinSet::new();
        serving.spawn(stdio::serve(door, reach.clone()));
        serving.spawn(http.serve(reach.clone()));
        Ok(Self { reach, place, _serving: serving })
    }

    /// Servers for agents in memory, which come to them by [`reach`](Self::reach) and no other way.
    pub fn in_memory() -> Self {
        let (command, url) = ("/attache/check/relay".to_owned(), "http://127.0.0.1:0/".to_owned());
        let place = ServerAddresses { command, arguments: Vec::new(), url };
        Self { reach: McpReach::default(), place, _serving: JoinSet::new() }
    }

    /// The way to them without a socket.
    pub fn reach(&self) -> McpReach {
        self.reach.clone()
    }

    /// A new server, which behaves like this.
    pub(crate) fn add(&self, transport: Transport, manner: ServerBehavior) -> Arc<McpServer> {
        let mut servers = self.reach.servers();
        let server = Arc::new(McpServer::new(servers.len() + 1, transport, manner, &self.place));
        servers.insert(server.name().to_owned(), Arc::clone(&server));
        server
    }
}

#[cfg(test)]
mod tests;
