//! The judge's own MCP servers. They record whether an agent connects to them, with the right
//! environment or headers, and calls their tools.
//!
//! [`server`] computes the answers without I/O. There are three ways to connect: the program that
//! an agent starts for stdio is a relay to [`stdio`], [`http`] serves HTTP requests, and an agent
//! in memory uses an [`McpReach`].
//!
//! The servers use only an HTTP library. A library for correct MCP servers cannot stay silent, end
//! or delay a call on demand, and tool calls need only four methods.

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
    /// Starts servers for agents that run as processes, on loopback ports that the system chooses.
    /// Needs a tokio runtime.
    ///
    /// `relay` is the absolute path of a program and its first arguments, such as
    /// `/usr/bin/attache check relay`. An agent starts it with an address, a token, `--mcp` and the
    /// name of a server. The relay [connects](crate::connect_relay) to that address and sends
    /// `{"server": NAME, "environment": {NAME: VALUE, …}}` with the variables that begin with
    /// `ATTACHE_CHECK_`. Then it copies all bytes.
    ///
    /// # Errors
    /// Returns an error if the system provides no port or no random bytes.
    pub fn listen(relay: impl IntoIterator<Item = impl Into<String>>) -> io::Result<Self> {
        let (reach, listener, http) = (McpReach::default(), RelayListener::open()?, Http::open()?);
        let mut words = relay.into_iter().map(Into::into);
        let command = words.next().unwrap_or_default();
        let arguments =
            words.chain([listener.address().to_string(), listener.token().to_owned()]).collect();
        let place = ServerAddresses { command, arguments, url: http.url() };
        let mut serving = JoinSet::new();
        serving.spawn(stdio::serve(listener, reach.clone()));
        serving.spawn(http.serve(reach.clone()));
        Ok(Self { reach, place, _serving: serving })
    }

    /// Creates servers for agents in memory, which reach them only through [`reach`](Self::reach).
    pub fn in_memory() -> Self {
        let (command, url) = ("/attache/check/relay".to_owned(), "http://127.0.0.1:0/".to_owned());
        let place = ServerAddresses { command, arguments: Vec::new(), url };
        Self { reach: McpReach::default(), place, _serving: JoinSet::new() }
    }

    /// Returns the way to reach the servers without a socket.
    pub fn reach(&self) -> McpReach {
        self.reach.clone()
    }

    /// Adds a server with this behavior.
    pub(crate) fn add(&self, transport: Transport, manner: ServerBehavior) -> Arc<McpServer> {
        let mut servers = self.reach.servers();
        let server = Arc::new(McpServer::new(servers.len() + 1, transport, manner, &self.place));
        servers.insert(server.name().to_owned(), Arc::clone(&server));
        server
    }
}

#[cfg(test)]
mod tests;
