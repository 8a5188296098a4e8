//! The builder that opens sessions of a hub.

use super::hub_error::HubError;
use super::hub_session::HubSession;
use super::hub_shared::HubShared;
use super::session_entry::{OpenParams, Prefer};
use attache_protocol::v1::{McpServer, SessionId};
use std::future::{Future, IntoFuture};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

/// A builder that opens a session of a hub; await it. Dropping the future cancels the request.
#[must_use = "nothing is opened until this is awaited"]
pub struct HubOpening {
    hub: Arc<HubShared>,
    agent: String,
    /// The id of a stored session; `None` for a new one.
    stored: Option<SessionId>,
    cwd: Option<PathBuf>,
    additional_directories: Vec<PathBuf>,
    mcp_servers: Vec<McpServer>,
    prefer: Prefer,
    shows_stored_first: bool,
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
            prefer: Prefer::Load,
            shows_stored_first: false,
        }
    }

    /// Adds folders to the session, if the agent takes them. For a stored session they replace its
    /// folders.
    pub fn additional_directories<P: Into<PathBuf>>(
        mut self,
        folders: impl IntoIterator<Item = P>,
    ) -> Self {
        self.additional_directories.extend(folders.into_iter().map(Into::into));
        self
    }

    /// Adds MCP servers that the agent connects to, of the kinds that it supports. The hub passes
    /// them to the agent each time it starts, as long as the session is open.
    pub fn mcp_servers(mut self, servers: impl IntoIterator<Item = McpServer>) -> Self {
        self.mcp_servers.extend(servers);
        self
    }

    /// Does not resume a stored session that the agent fails to load.
    pub fn without_fallback(mut self) -> Self {
        self.prefer = Prefer::OnlyLoad;
        self
    }

    /// Returns a stored session as soon as its history is read from the store, and does not wait
    /// for the agent. The hub then starts the agent and opens the session there; meanwhile, the
    /// state is [`SessionState::Starting`] and prompts wait in the queue. The state also shows
    /// whether that failed.
    ///
    /// Has no effect on a new session, or if the store has no history of the session.
    ///
    /// [`SessionState::Starting`]: crate::SessionState::Starting
    pub fn show_stored_first(mut self) -> Self {
        self.shows_stored_first = true;
        self
    }

    async fn open(self) -> Result<HubSession, HubError> {
        let Self {
            hub,
            agent,
            stored,
            cwd,
            additional_directories,
            mcp_servers,
            prefer,
            shows_stored_first,
        } = self;
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
                        let how = (prefer, shows_stored_first);
                        hub.resume_stored(agent, id, cwd, more, how).await?
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

impl HubSession {
    /// Opens another stored session of the same agent, such as one that another hub made from this
    /// one. `Hub::switch` says how. It uses the folder of this session if it knows no other one.
    ///
    /// # Errors
    /// Returns the same errors as [`Hub::switch`](crate::Hub::switch), or an error if the hub is
    /// closed.
    pub async fn switch_to(&self, id: impl Into<SessionId>) -> Result<HubSession, HubError> {
        let hub = self.hub.upgrade().ok_or(HubError::Closed)?;
        HubOpening::new(hub, &self.entry.agent.name, Some(id.into()), Some(self.cwd())).await
    }
}
