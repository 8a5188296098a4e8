//! The connection to an agent.

use crate::agent::evidence::Evidence;
use crate::agent::handshake::handshake;
use crate::agent::incoming_handler::{self, IncomingHandler};
use crate::agent::incoming_v2::{self, IncomingV2};
use crate::agent::listing::Listing;
use crate::agent::login::LoginError;
use crate::agent::options::{Options, capabilities};
use crate::agent::shared_connection::SharedConnection;
use crate::agent::start_error::StartError;
use crate::agent::stray_output::StrayOutput;
use crate::agent::text_chunks::TextChunks;
use crate::elicitation::Elicitations;
use crate::elicitation::page_address::Outstanding;
use crate::session::opening::{Opening, Origin};
use crate::session::session_table::SessionTable;
use crate::tasks::Tasks;
use attache_connection::transport::{LineTransport, Transport};
use attache_connection::{Builder, CallError, ClientHandler, ConnectionEnd, Peer, v2};
use attache_host::ChildWatch;
use attache_protocol::method::{AuthStatus, Authenticate, Logout};
use attache_protocol::v1::{
    AgentCapabilities, AuthMethod, AuthMethodId, AuthState, AuthStatusRequest, AuthStatusResponse,
    AuthenticateRequest, Implementation, LogoutRequest, ProtocolVersion, SessionId,
};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use tokio::io::{AsyncRead, AsyncWrite};

/// The name of the built-in agent, which counts tokens as [`attache_session::Tokens`] describes.
const BUILT_IN: &str = "attache";

/// A connection to an agent over a transport, with the handshake done. Dropping it ends the
/// connection at once: running turns fail and open questions are withdrawn.
#[derive(Debug)]
pub struct AgentConnection(pub(crate) Arc<SharedConnection>);

impl AgentConnection {
    /// Connects two streams, such as the halves of an in-memory pair, and performs the handshake
    /// within its deadline.
    ///
    /// # Errors
    /// Returns a [`StartError`] if the handshake fails. The streams are closed then.
    pub async fn connect(
        input: impl AsyncRead + Send + 'static,
        output: impl AsyncWrite + Send + 'static,
        options: Options,
    ) -> Result<Self, StartError> {
        Self::connect_over(LineTransport::new(input, output), options).await
    }

    /// Like [`AgentConnection::connect`], over any transport.
    ///
    /// # Errors
    /// Returns a [`StartError`] if the handshake fails. The transport is closed then.
    pub async fn connect_over(
        transport: impl Transport + 'static,
        options: Options,
    ) -> Result<Self, StartError> {
        Self::with_child(transport, options, None, None).await
    }

    /// Connects to a child process through its pipes. `program` is the name of its program. If the
    /// child closes its output, the error says how the child ended.
    pub(crate) async fn with_child(
        transport: impl Transport + 'static,
        options: Options,
        child: Option<&ChildWatch>,
        program: Option<&str>,
    ) -> Result<Self, StartError> {
        let (sessions, stray_output) =
            (Arc::new(SessionTable::new(options.kept)), Arc::new(StrayOutput::default()));
        let mut builder = Builder::new().limits(options.limits.clone());
        if let Some(tap) = options.tap.clone() {
            builder = builder.tap(tap);
        }
        if let Some(child) = child {
            builder = builder.exit_probe(crate::agent::evidence::exit_probe(child.clone()));
        }
        let name = Arc::<OnceLock<String>>::default();
        let incoming = IncomingHandler {
            sessions: sessions.clone(),
            stray_output: stray_output.clone(),
            advertised: capabilities(&options),
            unsaved: options.unsaved_text.clone(),
            elicitations: Elicitations {
                form: options.form.clone(),
                url: options.url.clone(),
                agent: name.clone(),
                outstanding: Outstanding::default(),
            },
            undo: options.undo.clone(),
            prepare_terminal: options.terminal_launches.clone(),
        };
        let tasks = Tasks::default();
        let peer = match options.protocol {
            ProtocolVersion::V2 => {
                let handler = v2::ClientHandler(IncomingV2::new(incoming));
                let handler = TextChunks::new(handler, sessions.clone(), incoming_v2::read_update);
                let (peer, connection) = builder.connect_over(transport, handler);
                tasks.spawn(async move { drop(connection.run().await) });
                peer
            }
            _ => {
                let handler = ClientHandler(incoming);
                let handler =
                    TextChunks::new(handler, sessions.clone(), incoming_handler::read_update);
                let (peer, connection) = builder.connect_over(transport, handler);
                tasks.spawn(async move { drop(connection.run().await) });
                peer
            }
        };
        let evidence = || Evidence::of(child, stray_output.lines());
        // An error drops the tasks and with them the connection (INIT-07).
        let agent = handshake(&peer, &options, evidence).await?;
        if let Some(about) = &agent.agent_info {
            peer.span().record("name", about.name.as_str());
            let _ = name.set(about.title.clone().unwrap_or_else(|| about.name.clone()));
        }
        let counted_by = counted_by(agent.agent_info.as_ref(), program);
        let unresponsive = AtomicBool::new(false);
        Ok(Self(Arc::new(SharedConnection {
            peer,
            sessions,
            tasks,
            options,
            agent,
            counted_by,
            stray_output,
            unresponsive,
        })))
    }

    /// Opens a new session in a folder. A relative path is resolved against the current folder of
    /// this process. Await the returned builder.
    ///
    /// The agent gets no permission for anything unless [`Opening::permissions`] says otherwise.
    pub fn open(&self, cwd: impl AsRef<Path>) -> Opening<'_> {
        Opening::new(&self.0, cwd.as_ref(), Origin::New)
    }

    /// Loads a stored session with its history, if the agent offers that. Once the whole history
    /// has arrived, it replaces the known history of the session. If the load fails, nothing
    /// changes.
    pub fn load(&self, id: impl Into<SessionId>, cwd: impl AsRef<Path>) -> Opening<'_> {
        Opening::new(&self.0, cwd.as_ref(), Origin::Loaded(id.into()))
    }

    /// Resumes a stored session without its history, if the agent offers that.
    pub fn resume(&self, id: impl Into<SessionId>, cwd: impl AsRef<Path>) -> Opening<'_> {
        Opening::new(&self.0, cwd.as_ref(), Origin::Resumed(id.into()))
    }

    /// Makes a new session with the history of session `id`, if the agent offers that. The original
    /// does not change. The copy uses the folders and MCP servers given here and accepts prompts at
    /// once. The agent does not replay the history, so the copy's transcript starts empty.
    pub fn fork(&self, id: impl Into<SessionId>, cwd: impl AsRef<Path>) -> Opening<'_> {
        Opening::new(&self.0, cwd.as_ref(), Origin::Forked(id.into()))
    }

    /// Whether the agent can leave out the last prompts of a fork:
    /// [`Opening::without_last_prompts`].
    pub fn forks_without_prompts(&self) -> bool {
        let fork = self.capabilities().session_capabilities.fork.as_ref();
        let meta = fork.and_then(|fork| fork.meta.as_ref());
        meta.is_some_and(attache_session::forks_without_prompts)
    }

    /// Lists the agent's stored sessions, if the agent offers lists.
    pub fn list(&self) -> Listing<'_> {
        Listing::new(&self.0)
    }

    /// Logs in with one of [`AgentConnection::auth_methods`]. There is no time limit, because a
    /// person may be involved; drop the future to give up.
    pub async fn authenticate(&self, method: impl Into<AuthMethodId>) -> Result<(), LoginError> {
        let id = method.into();
        match self.auth_methods().iter().find(|method| *method.id() == id) {
            Some(AuthMethod::Agent(_)) => {}
            Some(AuthMethod::Terminal(_)) => return Err(LoginError::InTerminal(id)), // AUTH-06
            None => {
                let offered =
                    self.auth_methods().iter().map(|method| method.id().clone()).collect();
                return Err(LoginError::UnknownMethod { id, offered }); // AUTH-02
            }
        }
        let params = AuthenticateRequest::new(id);
        self.0.call::<Authenticate>(&params, None, |_| {}).await.map_err(LoginError::Call)
    }

    /// Logs out, if the agent offers that. The agent decides what happens to open sessions.
    pub async fn logout(&self) -> Result<(), CallError> {
        self.0.call::<Logout>(&LogoutRequest::new(), Some(self.0.options.quick), |_| {}).await
    }

    /// Returns whether the agent is logged in and as whom, for display, if the agent offers that. A
    /// state that this version does not know is returned as [`AuthState::Undetermined`].
    pub async fn auth_status(&self) -> Result<AuthStatusResponse, CallError> {
        let (params, quick) = (AuthStatusRequest::new(), self.0.options.quick);
        let mut status = self.0.call::<AuthStatus>(&params, Some(quick), |_| {}).await?;
        if let AuthState::Unknown(_) = status.state {
            status.state = AuthState::Undetermined;
        }
        Ok(status)
    }

    /// The login methods that the agent offers.
    pub fn auth_methods(&self) -> &[AuthMethod] {
        &self.0.agent.auth_methods
    }

    /// The version of the protocol that the connection speaks.
    pub fn protocol(&self) -> ProtocolVersion {
        self.0.agent.protocol_version
    }

    /// The agent's name and version, if it gave them.
    pub fn about(&self) -> Option<&Implementation> {
        self.0.agent.agent_info.as_ref()
    }

    /// The capabilities of the agent. Those of an agent of version 2 are converted.
    pub fn capabilities(&self) -> &AgentCapabilities {
        &self.0.agent.agent_capabilities
    }

    /// The first lines on the agent's stdout that are not messages: at most 20, each cut to 400
    /// bytes.
    pub fn stray_output(&self) -> Vec<String> {
        self.0.stray_output.lines()
    }

    /// Whether the agent is unresponsive: it did not end a cancelled turn in time, and has not
    /// ended any turn since.
    pub fn is_unresponsive(&self) -> bool {
        self.0.unresponsive.load(Ordering::Relaxed)
    }

    /// The underlying connection, for methods that have no function here.
    pub fn peer(&self) -> &Peer {
        &self.0.peer
    }

    /// Closes the connection and waits until it is over. Queued messages are still written, within
    /// the connection's grace period.
    pub async fn close(&self) -> ConnectionEnd {
        self.0.peer.close();
        self.0.peer.ended().await
    }

    /// Waits until the connection is over and returns why.
    pub async fn ended(&self) -> ConnectionEnd {
        self.0.peer.ended().await
    }
}

impl Drop for AgentConnection {
    fn drop(&mut self) {
        self.0.tasks.abort();
    }
}

/// The name under which the agent's token counts are shown: the agent's own name, or else the name
/// of its program. `None` for the built-in agent.
fn counted_by(about: Option<&Implementation>, program: Option<&str>) -> Option<String> {
    let given = about.map(|about| about.name.trim()).filter(|name| !name.is_empty());
    match given {
        Some(BUILT_IN) => None,
        _ => Some(given.or(program).unwrap_or("the agent").to_owned()),
    }
}
