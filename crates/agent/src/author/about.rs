//! Who an agent is and what it takes.

use attache_protocol::Meta;
use attache_protocol::v1::{
    AgentCapabilities, AuthMethod, AuthStatusCapabilities, ClientCapabilities, Implementation,
    InitializeResponse, LogoutCapabilities, McpCapabilities, McpServer, PromptCapabilities,
    ProtocolVersion, SessionAdditionalDirectoriesCapabilities, SessionCloseCapabilities,
    SessionDeleteCapabilities, SessionListCapabilities, SessionSystemPromptCapabilities,
    SessionSystemPromptModeCapabilities, SessionSystemPromptOverrideCapabilities,
    SessionTitleCapabilities,
};

/// What `initialize` says about an agent. The methods that the kit serves by itself are advertised
/// by the kit; what is not set here is not advertised, and refused when it comes all the same.
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

/// How an agent lets a client instruct it for a session (SYSP-01).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SystemPromptModes {
    /// The client's instructions go behind the agent's own, with the same precedence (SYSP-04).
    Append,
    /// They may also stand in place of the agent's own; tools, MCP servers and permissions stay as
    /// they are (SYSP-04).
    AppendAndOverride,
}

impl About {
    /// An agent that takes text and resource links, and one root per session.
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

    /// A name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// A way to log in; the best one first. Terminal logins are shown only to clients that can
    /// carry them out (AUTH-05).
    #[must_use]
    pub fn auth_method(mut self, method: impl Into<AuthMethod>) -> Self {
        self.auth_methods.push(method.into());
        self
    }

    /// The kinds of content that prompts may hold besides text and resource links; others are
    /// refused before a turn begins (PROMPT-04).
    #[must_use]
    pub fn prompts(mut self, prompts: PromptCapabilities) -> Self {
        self.prompts = prompts;
        self
    }

    /// The ways in which the author connects to MCP servers besides stdio; servers of other kinds
    /// are refused.
    #[must_use]
    pub fn mcp(mut self, mcp: McpCapabilities) -> Self {
        self.mcp = mcp;
        self
    }

    /// Sessions may have more roots than their working directory (DIR-01).
    #[must_use]
    pub fn additional_directories(mut self) -> Self {
        self.additional_directories = true;
        self
    }

    /// Sessions in which nothing was said yet are left out of `session/list`, unless a person gave
    /// them a title or a tag.
    #[must_use]
    pub fn hide_empty_sessions(mut self) -> Self {
        self.hides_empty = true;
        self
    }

    /// Sessions may be given instructions; they come with the [`Opening`](crate::Opening), checked
    /// (SYSP-01 to SYSP-04).
    #[must_use]
    pub fn system_prompt(mut self, modes: SystemPromptModes) -> Self {
        self.system_prompt = Some(modes);
        self
    }

    /// One can log out: [`Author::logout`](crate::Author::logout) is served (AUTH-10).
    #[must_use]
    pub fn logout(mut self) -> Self {
        self.logout = true;
        self
    }

    /// One can ask whether somebody is logged in, and is told when that changes (AUTHS-03); see
    /// [`Author::auth_state`](crate::Author::auth_state).
    #[must_use]
    pub fn auth_status(mut self) -> Self {
        self.auth_status = true;
        self
    }

    /// The `_meta` of the agent's capabilities: how extensions are advertised (EXT-04). Keys are
    /// namespaced by a domain (META-07).
    #[must_use]
    pub fn meta(mut self, meta: Meta) -> Self {
        self.meta = Some(meta);
        self
    }

    /// The name by which the agent's sessions are stored.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn system_prompt_modes(&self) -> Option<SystemPromptModes> {
        self.system_prompt
    }

    pub(crate) fn reports_auth_status(&self) -> bool {
        self.auth_status
    }

    /// The ways to log in that a client with these capabilities can use, the best one first
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

    /// The kind of an MCP server that this agent does not connect to (SESS-09).
    pub(crate) fn unsupported_mcp(&self, server: &McpServer) -> Option<&'static str> {
        match server {
            McpServer::Stdio(_) => None,
            McpServer::Http(_) => (!self.mcp.http).then_some("http"),
            McpServer::Sse(_) => (!self.mcp.sse).then_some("sse"),
            McpServer::Acp(_) => (!self.mcp.acp).then_some("acp"),
        }
    }

    /// The login that `authenticate` may name (AUTH-03, AUTH-06).
    pub(crate) fn login(&self, id: &str) -> Option<&AuthMethod> {
        self.auth_methods
            .iter()
            .find(|method| method.id().as_str() == id && matches!(method, AuthMethod::Agent(_)))
    }

    /// The answer to `initialize`. There is one version to agree on (INIT-05, INIT-06).
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
