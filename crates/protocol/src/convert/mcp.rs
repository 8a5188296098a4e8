//! MCP servers.

use crate::{UnknownVariant, v1, v2};

/// Fails for a server with a type that neither version defines.
impl TryFrom<v2::McpServer> for v1::McpServer {
    type Error = UnknownVariant;

    fn try_from(server: v2::McpServer) -> Result<Self, UnknownVariant> {
        Ok(match server {
            v2::McpServer::Stdio(server) => Self::Stdio(v1::McpServerStdio {
                meta: server.meta,
                ..v1::McpServerStdio::new(server.name, server.command, server.args, server.env)
            }),
            v2::McpServer::Http(server) => Self::Http(v1::McpServerHttp {
                meta: server.meta,
                ..v1::McpServerHttp::new(server.name, server.url, server.headers)
            }),
            v2::McpServer::Acp(server) => Self::Acp(server),
            v2::McpServer::Unknown(unknown) => return Err(unknown),
        })
    }
}

/// Fails for a server over server-sent events, which version 2 does not have. The error is that
/// server.
impl TryFrom<v1::McpServer> for v2::McpServer {
    type Error = v1::McpServerSse;

    fn try_from(server: v1::McpServer) -> Result<Self, v1::McpServerSse> {
        Ok(match server {
            v1::McpServer::Stdio(server) => Self::Stdio(v2::McpServerStdio {
                args: server.args,
                env: server.env,
                meta: server.meta,
                ..v2::McpServerStdio::new(server.name, server.command)
            }),
            v1::McpServer::Http(server) => Self::Http(v2::McpServerHttp {
                headers: server.headers,
                meta: server.meta,
                ..v2::McpServerHttp::new(server.name, server.url)
            }),
            v1::McpServer::Acp(server) => Self::Acp(server),
            v1::McpServer::Sse(server) => return Err(server),
        })
    }
}
