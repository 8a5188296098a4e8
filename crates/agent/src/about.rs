//! Who an agent is and what it takes.

use attache_protocol::v1::{
    AgentCapabilities, AuthMethod, ClientCapabilities, Implementation, InitializeResponse, McpCapabilities,
    McpServer, PromptCapabilities, ProtocolVersion, SessionAdditionalDirectoriesCapabilities,
    SessionCloseCapabilities, SessionDeleteCapabilities, SessionListCapabilities, SessionTitleCapabilities,
};

/// What `initialize` says about an agent. The methods that the kit serves by itself are advertised by the kit; what is not set here is
/// not advertised, and refused when it comes all the same.
#[derive(Debug, Clone)]
pub struct About {
    name: String,
    version: String,
    title: Option<String>,
    auth_methods: Vec<AuthMethod>,
    prompts: PromptCapabilities,
    mcp: McpCapabilities,
    additional_directories: bool,
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
        }
    }

    /// A name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// A way to log in; the best one first. Terminal logins are shown only to clients that can carry them out (AUTH-05).
    #[must_use]
    pub fn auth_method(mut self, method: impl Into<AuthMethod>) -> Self {
        self.auth_methods.push(method.into());
        self
    }

    /// The kinds of content that prompts may hold besides text and resource links; others are refused before a turn begins
    /// (PROMPT-04).
    #[must_use]
    pub fn prompts(mut self, prompts: PromptCapabilities) -> Self {
        self.prompts = prompts;
        self
    }

    /// The ways in which the author connects to MCP servers besides stdio; servers of other kinds are refused.
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

    pub(crate) fn takes_additional_directories(&self) -> bool {
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
        let mut info = Implementation::new(self.name.as_str(), self.version.as_str());
        info.title.clone_from(&self.title);
        let mut response = InitializeResponse::new(ProtocolVersion::V1);
        response.agent_capabilities = capabilities;
        response.auth_methods = self.auth_methods.clone();
        response.auth_methods.retain(|method| client.auth.terminal || matches!(method, AuthMethod::Agent(_)));
        response.agent_info = Some(info);
        response
    }
}
