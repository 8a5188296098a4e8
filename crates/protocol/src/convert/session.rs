//! Opening and listing sessions.

use crate::v1::McpServerSse;
use crate::{UnknownVariant, v1, v2};

fn servers_of_v1(servers: Vec<v2::McpServer>) -> Result<Vec<v1::McpServer>, UnknownVariant> {
    servers.into_iter().map(TryInto::try_into).collect()
}

/// Fails like the conversion of MCP servers.
impl TryFrom<v2::NewSessionRequest> for v1::NewSessionRequest {
    type Error = UnknownVariant;

    fn try_from(request: v2::NewSessionRequest) -> Result<Self, UnknownVariant> {
        Ok(Self {
            additional_directories: request.additional_directories,
            system_prompt: request.system_prompt,
            meta: request.meta,
            ..Self::new(request.cwd, servers_of_v1(request.mcp_servers)?)
        })
    }
}

/// Fails like the conversion of MCP servers. `replayFrom` is left out: a request with a replay is
/// [`v1::LoadSessionRequest`].
impl TryFrom<v2::ResumeSessionRequest> for v1::ResumeSessionRequest {
    type Error = UnknownVariant;

    fn try_from(request: v2::ResumeSessionRequest) -> Result<Self, UnknownVariant> {
        Ok(Self {
            additional_directories: request.additional_directories,
            mcp_servers: servers_of_v1(request.mcp_servers)?,
            system_prompt: request.system_prompt,
            meta: request.meta,
            ..Self::new(request.session_id, request.cwd)
        })
    }
}

/// Fails like the conversion of MCP servers. The replay begins at the start of the session.
impl TryFrom<v2::ResumeSessionRequest> for v1::LoadSessionRequest {
    type Error = UnknownVariant;

    fn try_from(request: v2::ResumeSessionRequest) -> Result<Self, UnknownVariant> {
        Ok(Self {
            additional_directories: request.additional_directories,
            system_prompt: request.system_prompt,
            meta: request.meta,
            ..Self::new(servers_of_v1(request.mcp_servers)?, request.cwd, request.session_id)
        })
    }
}

/// Fails like the conversion of MCP servers.
impl TryFrom<v2::ForkSessionRequest> for v1::ForkSessionRequest {
    type Error = UnknownVariant;

    fn try_from(request: v2::ForkSessionRequest) -> Result<Self, UnknownVariant> {
        Ok(Self {
            additional_directories: request.additional_directories,
            mcp_servers: servers_of_v1(request.mcp_servers)?,
            system_prompt: request.system_prompt,
            meta: request.meta,
            ..Self::new(request.session_id, request.cwd)
        })
    }
}

impl From<v1::ListSessionsResponse> for v2::ListSessionsResponse {
    fn from(response: v1::ListSessionsResponse) -> Self {
        let sessions = response.sessions.into_iter().map(Into::into).collect::<Vec<_>>();
        Self { next_cursor: response.next_cursor, meta: response.meta, ..Self::new(sessions) }
    }
}

impl From<v1::SessionInfo> for v2::SessionInfo {
    fn from(session: v1::SessionInfo) -> Self {
        Self {
            additional_directories: session.additional_directories,
            title: session.title,
            updated_at: session.updated_at,
            archived: session.archived,
            meta: session.meta,
            ..Self::new(session.session_id, session.cwd)
        }
    }
}

/// Version 1 does not say what the session is doing.
impl From<v1::SessionStatusResponse> for v2::SessionStatusResponse {
    fn from(response: v1::SessionStatusResponse) -> Self {
        Self { meta: response.meta, ..Self::new(response.status) }
    }
}

fn servers_of_v2(servers: Vec<v1::McpServer>) -> Result<Vec<v2::McpServer>, McpServerSse> {
    servers.into_iter().map(TryInto::try_into).collect()
}

/// Fails like the conversion of MCP servers.
impl TryFrom<v1::NewSessionRequest> for v2::NewSessionRequest {
    type Error = McpServerSse;

    fn try_from(request: v1::NewSessionRequest) -> Result<Self, McpServerSse> {
        Ok(Self {
            additional_directories: request.additional_directories,
            mcp_servers: servers_of_v2(request.mcp_servers)?,
            system_prompt: request.system_prompt,
            meta: request.meta,
            ..Self::new(request.cwd)
        })
    }
}

/// Fails like the conversion of MCP servers. The request has no replay.
impl TryFrom<v1::ResumeSessionRequest> for v2::ResumeSessionRequest {
    type Error = McpServerSse;

    fn try_from(request: v1::ResumeSessionRequest) -> Result<Self, McpServerSse> {
        Ok(Self {
            additional_directories: request.additional_directories,
            mcp_servers: servers_of_v2(request.mcp_servers)?,
            system_prompt: request.system_prompt,
            meta: request.meta,
            ..Self::new(request.session_id, request.cwd)
        })
    }
}

/// Fails like the conversion of MCP servers. The replay begins at the start of the session.
impl TryFrom<v1::LoadSessionRequest> for v2::ResumeSessionRequest {
    type Error = McpServerSse;

    fn try_from(request: v1::LoadSessionRequest) -> Result<Self, McpServerSse> {
        Ok(Self {
            additional_directories: request.additional_directories,
            mcp_servers: servers_of_v2(request.mcp_servers)?,
            replay_from: Some(v2::ReplayFromStart::new().into()),
            system_prompt: request.system_prompt,
            meta: request.meta,
            ..Self::new(request.session_id, request.cwd)
        })
    }
}

/// Fails like the conversion of MCP servers.
impl TryFrom<v1::ForkSessionRequest> for v2::ForkSessionRequest {
    type Error = McpServerSse;

    fn try_from(request: v1::ForkSessionRequest) -> Result<Self, McpServerSse> {
        Ok(Self {
            additional_directories: request.additional_directories,
            mcp_servers: servers_of_v2(request.mcp_servers)?,
            system_prompt: request.system_prompt,
            meta: request.meta,
            ..Self::new(request.session_id, request.cwd)
        })
    }
}

impl From<v2::ListSessionsResponse> for v1::ListSessionsResponse {
    fn from(response: v2::ListSessionsResponse) -> Self {
        let sessions = response.sessions.into_iter().map(Into::into).collect::<Vec<_>>();
        Self { next_cursor: response.next_cursor, meta: response.meta, ..Self::new(sessions) }
    }
}

impl From<v2::SessionInfo> for v1::SessionInfo {
    fn from(session: v2::SessionInfo) -> Self {
        Self {
            additional_directories: session.additional_directories,
            title: session.title,
            updated_at: session.updated_at,
            archived: session.archived,
            meta: session.meta,
            ..Self::new(session.session_id, session.cwd)
        }
    }
}

/// What the session is doing is left out.
impl From<v2::SessionStatusResponse> for v1::SessionStatusResponse {
    fn from(response: v2::SessionStatusResponse) -> Self {
        Self { meta: response.meta, ..Self::new(response.status) }
    }
}
