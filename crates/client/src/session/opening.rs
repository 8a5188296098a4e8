//! Opens a session: new, loaded, resumed or forked.

use crate::agent::calls::{BothVersions, OpenReply};
use crate::agent::capability::Capability;
use crate::agent::shared_connection::SharedConnection;
use crate::permission::Permissions;
use crate::session::live_session::{LiveSession, Setup};
use crate::session::open_error::OpenError;
use crate::session::session_fold::SessionFold;
use crate::session::session_folders::SessionFolders;
use crate::session::session_handle::SessionHandle;
use crate::session::watched_session;
use attache_connection::CallError;
use attache_protocol::method::{Method, SessionFork, SessionLoad, SessionNew, SessionResume, v2};
use attache_protocol::v1::{
    AgentCapabilities, ForkSessionRequest, LoadSessionRequest, McpCapabilities, McpServer,
    NewSessionRequest, ResumeSessionRequest, SessionId,
};
use attache_session::Session;
use std::future::{Future, IntoFuture};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// The origin of a session.
#[derive(Debug, Clone)]
pub(crate) enum Origin {
    New,
    Loaded(SessionId),
    Resumed(SessionId),
    Forked(SessionId),
}

/// A builder that opens a session; await it. Dropping the future cancels the request at the agent
/// and forgets a session that the agent still opens.
#[derive(Debug)]
#[must_use = "nothing is opened until this is awaited"]
pub struct Opening<'c> {
    shared: &'c Arc<SharedConnection>,
    origin: Origin,
    cwd: PathBuf,
    additional_directories: Vec<PathBuf>,
    mcp_servers: Vec<McpServer>,
    permissions: Permissions,
    unarchive: bool,
    known: Option<Arc<SessionFold>>,
    whole: Option<Session>,
    logged: bool,
    /// How many prompts at the end a fork leaves out.
    without_prompts: u64,
}

impl<'c> Opening<'c> {
    pub(crate) fn new(shared: &'c Arc<SharedConnection>, cwd: &Path, origin: Origin) -> Self {
        Self {
            shared,
            origin,
            cwd: cwd.into(),
            additional_directories: Vec::new(),
            mcp_servers: Vec::new(),
            permissions: Permissions::default(),
            unarchive: false,
            known: None,
            whole: None,
            logged: false,
            without_prompts: 0,
        }
    }

    /// Continues the session's state from another connection. Updates of the last turn are kept
    /// even if a load does not replay them.
    pub(crate) fn known(mut self, fold: Arc<SessionFold>) -> Self {
        self.known = Some(fold);
        self
    }

    /// Sets the session with all its entries, if the known one has dropped some from memory. A
    /// loaded history is compared with it.
    pub(crate) fn whole(mut self, whole: Option<Session>) -> Self {
        self.whole = whole;
        self
    }

    /// Sets who decides about permissions; [`Permissions::Reject`] unless set.
    pub fn permissions(mut self, permissions: Permissions) -> Self {
        self.permissions = permissions;
        self
    }

    /// Adds folders to the session, if the agent takes them. A relative path is resolved against
    /// the current folder of this process.
    pub fn additional_directories<P: Into<PathBuf>>(
        mut self,
        folders: impl IntoIterator<Item = P>,
    ) -> Self {
        self.additional_directories.extend(folders.into_iter().map(Into::into));
        self
    }

    /// Adds MCP servers that the agent connects to, of the kinds that it supports.
    pub fn mcp_servers(mut self, servers: impl IntoIterator<Item = McpServer>) -> Self {
        self.mcp_servers.extend(servers);
        self
    }

    /// Takes an archived session out of the archive before it is loaded or resumed. Has no effect
    /// on a new session or a fork.
    pub fn unarchive(mut self) -> Self {
        self.unarchive = true;
        self
    }

    /// Lets the caller decide where the session's events are logged. Otherwise they are not logged.
    pub(crate) fn logged(mut self) -> Self {
        self.logged = true;
        self
    }

    /// Leaves out the last prompts of a fork, each with its turn. The agent must offer that; see
    /// [`AgentConnection::forks_without_prompts`].
    ///
    /// [`AgentConnection::forks_without_prompts`]: crate::AgentConnection::forks_without_prompts
    pub fn without_last_prompts(mut self, prompts: u64) -> Self {
        self.without_prompts = prompts;
        self
    }

    async fn open(self) -> Result<SessionHandle, OpenError> {
        let capabilities = &self.shared.agent.agent_capabilities;
        let is_v2 = self.shared.is_v2();
        self.origin.check(capabilities, is_v2)?;
        check_servers(&self.mcp_servers, &capabilities.mcp_capabilities, is_v2)?;
        if !self.additional_directories.is_empty()
            && capabilities.session_capabilities.additional_directories.is_none()
        {
            let capability = Capability::ADDITIONAL_DIRECTORIES.path(is_v2);
            return Err(OpenError::NotOffered { what: "additional folders", capability });
        }
        let Self {
            shared,
            origin,
            cwd,
            additional_directories,
            mcp_servers,
            permissions,
            unarchive,
            known,
            whole,
            logged,
            without_prompts,
        } = self;
        let folders = tokio::task::spawn_blocking(move || {
            SessionFolders::find(&cwd, &additional_directories)
        })
        .await;
        let folders =
            folders.map_err(|error| OpenError::NoCurrentFolder(std::io::Error::other(error)))??;
        if let (true, Origin::Loaded(id) | Origin::Resumed(id)) = (unarchive, &origin) {
            shared.unarchive(id.clone()).await.map_err(OpenError::Call)?;
        }
        let (found, keep_received) = (folders.found.clone(), known.is_some());
        let setup = Setup { folders: found, permissions, said: Vec::new(), keep_received, whole };
        let live = match origin {
            Origin::New => create(shared, folders, mcp_servers, setup).await,
            Origin::Loaded(id) => {
                let live = shared.sessions.get_or_add(&id, &shared.peer, known);
                load(shared, live, folders, mcp_servers, setup).await
            }
            Origin::Resumed(id) => {
                let live = shared.sessions.get_or_add(&id, &shared.peer, known);
                resume(shared, live, folders, mcp_servers, setup).await
            }
            Origin::Forked(id) => {
                fork(shared, (id, without_prompts), folders, mcp_servers, setup).await
            }
        }?;
        if !logged {
            live.fold.log_to(None);
        }
        Ok(SessionHandle { live, shared: shared.clone() })
    }
}

impl Origin {
    /// Checks that the agent offers sessions of this origin (SESS-12, SESS-18, FORK-01). An error
    /// names the method and the capability of the connection's version.
    fn check(&self, capabilities: &AgentCapabilities, is_v2: bool) -> Result<(), OpenError> {
        let (row, row_of_v2) = match self {
            Self::New => (SessionNew::ROW, v2::SessionNew::ROW),
            Self::Loaded(_) => (SessionLoad::ROW, v2::SessionResume::ROW),
            Self::Resumed(_) => (SessionResume::ROW, v2::SessionResume::ROW),
            Self::Forked(_) => (SessionFork::ROW, v2::SessionFork::ROW),
        };
        let shown = if is_v2 { row_of_v2 } else { row };
        match shown.gate.path().or(row.gate.path()) {
            Some(capability) if !row.gate.opened_by_agent(capabilities) => {
                Err(OpenError::Call(CallError::NotOffered { method: shown.name, capability }))
            }
            _ => Ok(()),
        }
    }
}

/// Checks that the agent supports MCP servers of all these kinds (SESS-09).
fn check_servers(
    servers: &[McpServer],
    taken: &McpCapabilities,
    is_v2: bool,
) -> Result<(), OpenError> {
    for server in servers {
        let (offered, what, capability) = match server {
            McpServer::Stdio(_) => continue,
            McpServer::Http(_) => (taken.http, "MCP servers over HTTP", Capability::MCP_HTTP),
            McpServer::Sse(_) => {
                (taken.sse, "MCP servers over server-sent events", Capability::MCP_SSE)
            }
            McpServer::Acp(_) => {
                (taken.acp, "MCP servers over this connection", Capability::MCP_ACP)
            }
        };
        if !offered {
            let capability = capability.path(is_v2);
            return Err(OpenError::NotOffered { what, capability });
        }
    }
    Ok(())
}

impl<'c> IntoFuture for Opening<'c> {
    type Output = Result<SessionHandle, OpenError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'c>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.open())
    }
}

async fn create(
    shared: &Arc<SharedConnection>,
    folders: SessionFolders,
    mcp_servers: Vec<McpServer>,
    mut setup: Setup,
) -> Result<Arc<LiveSession>, OpenError> {
    let mut params = NewSessionRequest::new(folders.cwd.clone(), mcp_servers);
    params.additional_directories = folders.additional_directories.clone();
    setup.said.push(folders.opened(shared.counted_by.clone(), attache_session::Origin::New));
    make::<SessionNew>(shared, &params, setup).await
}

async fn fork(
    shared: &Arc<SharedConnection>,
    (id, without_prompts): (SessionId, u64),
    folders: SessionFolders,
    mcp_servers: Vec<McpServer>,
    mut setup: Setup,
) -> Result<Arc<LiveSession>, OpenError> {
    let mut params = ForkSessionRequest::new(id.clone(), folders.cwd.clone());
    params.additional_directories = folders.additional_directories.clone();
    params.mcp_servers = mcp_servers;
    if without_prompts > 0 {
        params.meta = attache_session::fork_meta(without_prompts);
    }
    setup.said.push(folders.opened(shared.counted_by.clone(), attache_session::Origin::Forked(id)));
    make::<SessionFork>(shared, &params, setup).await
}

/// Opens a session with the id and the state in the reply.
async fn make<M: BothVersions<Reply = OpenReply>>(
    shared: &Arc<SharedConnection>,
    params: &M::Params,
    mut setup: Setup,
) -> Result<Arc<LiveSession>, OpenError> {
    let (found, opened) = oneshot::channel();
    let (sessions, peer) = (shared.sessions.clone(), shared.peer.clone());
    let fold_reply = move |reply: &Result<OpenReply, CallError>| {
        let Ok(OpenReply { id: Some(id), said }) = reply else { return };
        if sessions.get(id).is_some() {
            // What was set up for the open session must not change.
            let _ = found.send(Err(OpenError::KnownSession(id.clone())));
            return;
        }
        setup.said.extend(said.iter().cloned());
        let live = sessions.get_or_add(id, &peer, None);
        live.set_up(setup);
        // If the caller no longer waits, dropping the only handle forgets the session.
        let _ = found.send(Ok(live));
    };
    let _early = shared.sessions.expect();
    let reply = shared.call::<M>(params, Some(shared.options.setup), fold_reply).await;
    reply.map_err(|error| OpenError::of_call(error, &shared.agent.auth_methods))?;
    // The reply has already been folded at this point.
    opened.await.unwrap_or_else(|_| {
        Err(OpenError::Call(CallError::Disconnected(attache_connection::ConnectionEnd::Closed)))
    })
}

async fn load(
    shared: &Arc<SharedConnection>,
    live: Arc<LiveSession>,
    folders: SessionFolders,
    mcp_servers: Vec<McpServer>,
    mut setup: Setup,
) -> Result<Arc<LiveSession>, OpenError> {
    let mut params = LoadSessionRequest::new(mcp_servers, folders.cwd.clone(), live.id.clone());
    params.additional_directories = folders.additional_directories.clone();
    let opened = folders.opened(shared.counted_by.clone(), attache_session::Origin::Loaded);
    let number = live.begin_load().ok_or(OpenError::Busy)?;
    let _abandoned_unless_answered = Load { live: live.clone(), number };
    let loaded = live.clone();
    let fold_reply = move |reply: &Result<OpenReply, CallError>| match reply {
        Ok(reply) => {
            setup.said.extend(reply.said.iter().cloned());
            loaded.finish_load(number, opened, setup);
        }
        Err(_) => loaded.fail_load(number),
    };
    let call = shared.call::<SessionLoad>(&params, Some(shared.options.setup), fold_reply);
    call.await.map_err(|error| OpenError::of_call(error, &shared.agent.auth_methods))?;
    if shared
        .agent
        .agent_info
        .as_ref()
        .is_some_and(|about| REPLAYS_LATE.contains(&about.name.as_str()))
    {
        replayed(&live).await;
    }
    Ok(live)
}

/// The names of the agents that replay a part of the history after they have answered the load.
/// This was observed with version 0.61.0 of `gemini-cli`. Without a pause, old messages would
/// appear as the answer to a new prompt.
const REPLAYS_LATE: [&str; 1] = ["gemini-cli"];

/// When an agent that replays late has been silent for this long, its replay counts as complete.
const QUIET: Duration = Duration::from_millis(100);

/// The maximum time that the client waits for the end of a late replay.
const REPLAY: Duration = Duration::from_secs(5);

/// Waits until no more of the history arrives.
async fn replayed(live: &Arc<LiveSession>) {
    let mut watch = watched_session::watch(live);
    let quiet =
        async { while let Ok(Some(_)) = tokio::time::timeout(QUIET, watch.next()).await {} };
    // An agent that is still sending after that time is not replaying a history.
    let _ = tokio::time::timeout(REPLAY, quiet).await;
}

/// A load in flight. Dropping it before the answer abandons the load.
struct Load {
    live: Arc<LiveSession>,
    number: u64,
}

impl Drop for Load {
    fn drop(&mut self) {
        self.live.abandon_load(self.number);
    }
}

async fn resume(
    shared: &Arc<SharedConnection>,
    live: Arc<LiveSession>,
    folders: SessionFolders,
    mcp_servers: Vec<McpServer>,
    mut setup: Setup,
) -> Result<Arc<LiveSession>, OpenError> {
    let mut params = ResumeSessionRequest::new(live.id.clone(), folders.cwd.clone());
    params.additional_directories = folders.additional_directories.clone();
    params.mcp_servers = mcp_servers;
    let resumed = live.clone();
    setup.said.push(folders.opened(shared.counted_by.clone(), attache_session::Origin::Resumed));
    let fold_reply = move |reply: &Result<OpenReply, CallError>| {
        if let Ok(reply) = reply {
            setup.said.extend(reply.said.iter().cloned());
            resumed.set_up(setup);
        }
    };
    let call = shared.call::<SessionResume>(&params, Some(shared.options.setup), fold_reply);
    call.await.map_err(|error| OpenError::of_call(error, &shared.agent.auth_methods))?;
    Ok(live)
}
