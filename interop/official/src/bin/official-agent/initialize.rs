//! The agent's response to `initialize`.

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    AgentAuthCapabilities, AgentCapabilities, AuthStatusCapabilities, ClientCapabilities,
    Implementation, InitializeResponse, LogoutCapabilities, McpCapabilities, PromptCapabilities,
    ProvidersCapabilities, SessionAdditionalDirectoriesCapabilities, SessionArchiveCapabilities,
    SessionCapabilities, SessionCloseCapabilities, SessionDeleteCapabilities,
    SessionForkCapabilities, SessionListCapabilities, SessionResumeCapabilities,
    SessionStatusCapabilities, SessionSystemPromptCapabilities,
    SessionSystemPromptModeCapabilities, SessionSystemPromptOverrideCapabilities,
    SessionTitleCapabilities,
};

use crate::account::Account;

/// Returns the response for this client. Acts in prompts are an extension (EXT-04).
pub(crate) fn answer(client: &ClientCapabilities) -> InitializeResponse {
    let capabilities = AgentCapabilities::new()
        .load_session(true)
        .prompt_capabilities(PromptCapabilities::new().image(true).embedded_context(true))
        .mcp_capabilities(McpCapabilities::new().http(true).acp(true))
        .session_capabilities(session())
        .auth(
            AgentAuthCapabilities::new()
                .logout(LogoutCapabilities::new())
                .status(AuthStatusCapabilities::new()),
        )
        .providers(ProvidersCapabilities::new())
        .meta(serde_json::Map::from_iter([("attache/acts".to_owned(), serde_json::json!({}))]));
    InitializeResponse::new(ProtocolVersion::V1)
        .agent_capabilities(capabilities)
        .auth_methods(Account::methods(client))
        .agent_info(Implementation::new("official-agent", "5.0.0").title("Official Rust SDK"))
}

fn session() -> SessionCapabilities {
    let over = SessionSystemPromptOverrideCapabilities::new();
    let mode = SessionSystemPromptModeCapabilities::new().override_(over);
    SessionCapabilities::new()
        .list(SessionListCapabilities::new())
        .delete(SessionDeleteCapabilities::new())
        .additional_directories(SessionAdditionalDirectoriesCapabilities::new())
        .system_prompt(SessionSystemPromptCapabilities::new().mode(mode))
        .fork(SessionForkCapabilities::new())
        .archive(SessionArchiveCapabilities::new())
        .status(SessionStatusCapabilities::new())
        .title(SessionTitleCapabilities::new())
        .resume(SessionResumeCapabilities::new())
        .close(SessionCloseCapabilities::new())
}
