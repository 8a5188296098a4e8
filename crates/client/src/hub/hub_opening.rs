//! Opening sessions of a hub: new ones, and ones that are stored.

use super::hub_error::HubError;
use super::hub_session::HubSession;
use super::hub_shared::HubShared;
use super::session_entry::OpenParams;
use attache_protocol::v1::{McpServer, SessionId};
use std::future::{Future, IntoFuture};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

/// A session of a hub about to be opened; await it. Dropping the future gives up.
#[must_use = "nothing is opened until this is awaited"]
pub struct HubOpening {
    hub: Arc<HubShared>,
    agent: String,
    /// The session that is stored; `None` for a new one.
    stored: Option<SessionId>,
    cwd: Option<PathBuf>,
    additional_directories: Vec<PathBuf>,
    mcp_servers: Vec<McpServer>,
}

impl HubOpening {
    pub(crate) fn new(
        hub: Arc<HubShared>,
        agent: &str,
        stored: Option<SessionId>,
        cwd: Option<&Path>,
    ) -> Self {
        Self {
            hub,
            agent: agent.to_owned(),
            stored,
            cwd: cwd.map(Path::to_owned),
            additional_directories: Vec::new(),
            mcp_servers: Vec::new(),
        }
    }

    /// More folders that belong to the session, if the agent takes them (DIR-01); for a stored
    /// session in place of those it had.
    pub fn additional_directories<P: Into<PathBuf>>(
        mut self,
        folders: impl IntoIterator<Item = P>,
    ) -> Self {
        self.additional_directories.extend(folders.into_iter().map(Into::into));
        self
    }

    /// MCP servers the agent shall connect to, of kinds it takes (SESS-09); each time it is
    /// started, as long as the session is open.
    pub fn mcp_servers(mut self, servers: impl IntoIterator<Item = McpServer>) -> Self {
        self.mcp_servers.extend(servers);
        self
    }

    async fn open(self) -> Result<HubSession, HubError> {
        let Self { hub, agent, stored, cwd, additional_directories, mcp_servers } = self;
        let agent = hub.agent(&agent)?;
        let entry = match stored {
            None => {
                let cwd = cwd.unwrap_or_default();
                hub.open(agent, OpenParams { cwd, additional_directories, mcp_servers }).await?
            }
            Some(id) => {
                let opening = hub.opening(&agent.name, &id);
                let _one_at_a_time = opening.lock().await;
                match hub.session(&agent.name, &id) {
                    Some(open) => open,
                    None => {
                        let more = (additional_directories, mcp_servers);
                        hub.resume_stored(agent, id, cwd, more).await?
                    }
                }
            }
        };
        Ok(HubSession::new(entry, &hub))
    }
}

impl IntoFuture for HubOpening {
    type Output = Result<HubSession, HubError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.open())
    }
}

impl std::fmt::Debug for HubOpening {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HubOpening")
            .field("agent", &self.agent)
            .field("stored", &self.stored)
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}
