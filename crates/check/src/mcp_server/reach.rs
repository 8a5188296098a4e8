//! Connections of an agent in memory to the servers.

use super::server::{McpServer, ServerConnection};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The servers for an agent in memory. This value is cheap to clone.
#[derive(Clone, Default)]
pub struct McpReach {
    servers: Arc<Mutex<BTreeMap<String, Arc<McpServer>>>>,
}

/// A connection to a server.
#[derive(Debug)]
pub struct McpConnection(ServerConnection);

impl McpReach {
    pub(super) fn servers(&self) -> MutexGuard<'_, BTreeMap<String, Arc<McpServer>>> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn find(&self, name: &str) -> Option<Arc<McpServer>> {
        self.servers().get(name).cloned()
    }

    /// Starts the server with the arguments of its entry in `mcpServers` and these variables.
    /// Returns `None` if there is no such server or if it ends at once.
    pub fn start(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Option<McpConnection> {
        let server = self.find(arguments.last()?)?;
        ServerConnection::new(server, environment.iter().copied()).map(McpConnection)
    }

    /// Connects to the server at this URL of `mcpServers`, with these headers.
    pub fn connect(&self, url: &str, headers: &[(&str, &str)]) -> Option<McpConnection> {
        let server = self.find(url.rsplit('/').next()?)?;
        ServerConnection::new(server, headers.iter().copied()).map(McpConnection)
    }
}

impl fmt::Debug for McpReach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.servers().keys()).finish()
    }
}

impl McpConnection {
    /// Returns the server's answer to a message, or `None` for a notification or a silent server.
    pub fn answer(&self, message: &Value) -> Option<Value> {
        self.0.answer(message)
    }
}
