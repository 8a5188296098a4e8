//! The name and the features of an agent.

use attache_protocol::Meta;
use attache_protocol::v1::{
    AgentCapabilities, AuthMethod, AuthStatusCapabilities, ClientCapabilities, Implementation,
    InitializeResponse, LogoutCapabilities, McpCapabilities, McpServer, PromptCapabilities,
    ProtocolVersion, SessionAdditionalDirectoriesCapabilities, SessionCloseCapabilities,
    SessionDeleteCapabilities, SessionListCapabilities, SessionSystemPromptCapabilities,
    SessionSystemPromptModeCapabilities, SessionSystemPromptOverrideCapabilities,
    SessionTitleCapabilities,
};

/// The name and the features that `initialize` reports. The kit adds the features that it
/// implements itself. A feature that is not set here is not advertised, and a client that uses it
/// receives an error.
#[derive(Debug, Clone)]
pub struct About {
    name: String,
    version: String,
    title: Option<String>,
    auth_methods: Vec<AuthMethod>,
    prompts: PromptCapabilities,
    mcp: McpCapabilities,
    additional_directories: bool,
    hides_empty: bool,
    system_prompt: Option<SystemPromptModes>,
    logout: bool,
    auth_status: bool,
    meta: Option<Meta>,
}

/// How a client can give instructions for a session.
// SYSP-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SystemPromptModes {
    /// The client's instructions are added after the agent's own, with the same precedence.
    // SYSP-04.
    Append,
    /// The client's instructions are added, or they replace the agent's own if the client asks for
    /// that. Tools, MCP servers and permissions do not change.
    // SYSP-04.
    AppendAndOverride,
}

impl About {
    /// Creates an agent that accepts text and resource links, and one root per session. Its
    /// sessions are stored under `name`.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            title: None,
            auth_methods: Vec::new(),
            prompts: PromptCapabilities::default(),
            mcp: McpCapabilities::default(),
            additional_directories: false,
            hides_empty: false,
            system_prompt: None,
            logout: false,
            auth_status: false,
            meta: None,
        }
    }

    /// Sets a name to show to the user.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Adds a login method; add the best one first. Terminal logins are shown only to clients that
    /// support them. See [`Login`](crate::Login).
    // AUTH-05.
    #[must_use]
    pub fn auth_method(mut self, method: impl Into<AuthMethod>) -> Self {
        self.auth_methods.push(method.into());
        self
    }

    /// Sets the kinds of content that prompts can contain besides text and resource links. A prompt
    /// with any other kind is refused.
    // PROMPT-04.
    #[must_use]
    pub fn prompts(mut self, prompts: PromptCapabilities) -> Self {
        self.prompts = prompts;
        self
    }

    /// Sets the kinds of MCP servers, besides stdio, that the author can connect to. Servers of
    /// other kinds are refused.
    #[must_use]
    pub fn mcp(mut self, mcp: McpCapabilities) -> Self {
        self.mcp = mcp;
        self
    }

    /// Lets sessions have more roots than their working directory.
    // DIR-01.
    #[must_use]
    pub fn additional_directories(mut self) -> Self {
        self.additional_directories = true;
        self
    }

    /// Leaves sessions without messages out of `session/list`, unless the user gave them a title or
    /// a tag.
    #[must_use]
    pub fn hide_empty_sessions(mut self) -> Self {
        self.hides_empty = true;
        self
    }

    /// Lets clients give instructions for a session: see
    /// [`Opening::system_prompt`](crate::Opening::system_prompt).
    // SYSP-01 to SYSP-04.
    #[must_use]
    pub fn system_prompt(mut self, modes: SystemPromptModes) -> Self {
        self.system_prompt = Some(modes);
        self
    }

    /// Lets clients log out: see [`Login::logout`](crate::Login::logout).
    // AUTH-10.
    #[must_use]
    pub fn logout(mut self) -> Self {
        self.logout = true;
        self
    }

    /// Lets clients ask whether the user is logged in, and be told when that changes: see
    /// [`Login::auth_state`](crate::Login::auth_state).
    // AUTHS-03.
    #[must_use]
    pub fn auth_status(mut self) -> Self {
        self.auth_status = true;
        self
    }

    /// Sets the `_meta` of the agent's capabilities, which advertises extensions. Prefix keys with
    /// your domain.
    // EXT-04, META-07.
    #[must_use]
    pub fn meta(mut self, meta: Meta) -> Self {
        self.meta = Some(meta);
        self
    }

    /// Returns the name under which the sessions are stored.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn system_prompt_modes(&self) -> Option<SystemPromptModes> {
        self.system_prompt
    }

    pub(crate) fn reports_auth_status(&self) -> bool {
        self.auth_status
    }

    /// Returns the login methods that a client with these capabilities supports, the best one first
    /// (AUTH-05).
    pub(crate) fn logins_for(
        &self,
        client: &ClientCapabilities,
    ) -> impl Iterator<Item = &AuthMethod> {
        let terminal = client.auth.terminal;
        self.auth_methods
            .iter()
            .filter(move |method| terminal || matches!(method, AuthMethod::Agent(_)))
    }

    pub(crate) fn hides_empty_sessions(&self) -> bool {
        self.hides_empty
    }

    pub(crate) fn supports_additional_directories(&self) -> bool {
        self.additional_directories
    }

    pub(crate) fn prompt_capabilities(&self) -> &PromptCapabilities {
        &self.prompts
    }

    /// Returns the kind of the MCP server if the agent does not support that kind (SESS-09).
    pub(crate) fn unsupported_mcp(&self, server: &McpServer) -> Option<&'static str> {
        match server {
            McpServer::Stdio(_) => None,
            McpServer::Http(_) => (!self.mcp.http).then_some("http"),
            McpServer::Sse(_) => (!self.mcp.sse).then_some("sse"),
            McpServer::Acp(_) => (!self.mcp.acp).then_some("acp"),
        }
    }

    /// Returns the login method with this id if `authenticate` supports it (AUTH-03, AUTH-06).
    pub(crate) fn login(&self, id: &str) -> Option<&AuthMethod> {
        self.auth_methods
            .iter()
            .find(|method| method.id().as_str() == id && matches!(method, AuthMethod::Agent(_)))
    }

    /// Returns the reply to `initialize`. The reply always names the same protocol version, because
    /// there is only one (INIT-05, INIT-06).
    pub(crate) fn initialized(&self, client: &ClientCapabilities) -> InitializeResponse {
        let mut capabilities = AgentCapabilities {
            prompt_capabilities: self.prompts.clone(),
            mcp_capabilities: self.mcp.clone(),
            ..AgentCapabilities::default()
        };
        let sessions = &mut capabilities.session_capabilities;
        sessions.list = Some(SessionListCapabilities::default());
        sessions.close = Some(SessionCloseCapabilities::default());
        sessions.delete = Some(SessionDeleteCapabilities::default());
        sessions.title = Some(SessionTitleCapabilities::default());
        sessions.additional_directories =
            self.additional_directories.then(SessionAdditionalDirectoriesCapabilities::default);
        sessions.system_prompt = self.system_prompt.map(|modes| {
            let over = (modes == SystemPromptModes::AppendAndOverride)
                .then(SessionSystemPromptOverrideCapabilities::default);
            let mode = over.map(|over| SessionSystemPromptModeCapabilities {
                override_mode: Some(over),
                ..SessionSystemPromptModeCapabilities::default()
            });
            SessionSystemPromptCapabilities { mode, ..SessionSystemPromptCapabilities::default() }
        });
        capabilities.auth.logout = self.logout.then(LogoutCapabilities::default);
        capabilities.auth.status = self.auth_status.then(AuthStatusCapabilities::default);
        capabilities.meta.clone_from(&self.meta);
        let mut info = Implementation::new(self.name.as_str(), self.version.as_str());
        info.title.clone_from(&self.title);
        let mut response = InitializeResponse::new(ProtocolVersion::V1);
        response.agent_capabilities = capabilities;
        response.auth_methods = self.logins_for(client).cloned().collect();
        response.agent_info = Some(info);
        response
    }
}
