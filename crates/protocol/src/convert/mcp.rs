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
