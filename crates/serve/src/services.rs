//! What a shared hub needs from the program around it.

use attache_client::{Hub, ListedSession, PermissionBroker};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;

pub use attache_view::{AgentChoice, FoundText, SessionChange};

/// A future that a service returns.
pub type Served<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// What a shared hub needs from the program around it: its agents, settings and store.
pub trait HubServices: Send + Sync + 'static {
    /// Returns the agents that the person can choose by name, the built-in one first.
    fn agents(&self) -> Vec<AgentChoice>;

    /// Adds the agent with this name to the hub, unless it is there, and returns its name in the
    /// hub. A command line is accepted only if `is_local`.
    ///
    /// # Errors
    /// Returns a message for the person if there is no such agent.
    fn add_agent(&self, hub: &Hub, agent: &str, is_local: bool) -> Result<String, String>;

    /// Changes a session that may not be open.
    fn change(&self, session: ListedSession, change: SessionChange) -> Served<Result<(), String>>;

    /// The folders below which clients over TCP may open sessions.
    fn folders(&self) -> Vec<PathBuf>;

    /// Returns the files of a folder whose paths match these letters, for the mentions of a prompt:
    /// at most `limit`, the best first.
    fn files(&self, folder: &Path, letters: &str, limit: usize) -> Served<Vec<String>>;

    /// The person's rules, with the log of decisions.
    fn rules(&self) -> PermissionBroker;

    /// Finds the stored sessions with this text.
    fn search(&self, text: String) -> Served<Result<Vec<FoundText>, String>>;
}
