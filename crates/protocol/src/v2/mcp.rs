//! MCP servers that a session uses.

use super::{EnvVariable, HttpHeader, McpServerAcp};
use crate::wire::declare::{wire_struct, wire_union};

wire_union! {
    /// An MCP server that the agent should connect to.
    pub enum McpServer by "type" open {
        /// A program that the agent starts; only with `session.mcp.stdio`.
        Stdio(McpServerStdio) = "stdio",
        /// Streamable HTTP; only with `session.mcp.http`.
        Http(McpServerHttp) = "http",
        /// A server that speaks through this connection; only with `session.mcp.acp`. Unstable.
        Acp(McpServerAcp) = "acp",
    }
}

wire_struct! {
    /// An MCP server that the agent starts.
    pub struct McpServerStdio {
        /// A name to show.
        must name: String = "name",
        /// The program, absolute.
        must command: String = "command",
        /// Its arguments, passed unchanged.
        null args: Vec<String> = "args",
        /// Environment variables to set.
        null env: Vec<EnvVariable> = "env",
    }
}

wire_struct! {
    /// An MCP server reached over streamable HTTP.
    pub struct McpServerHttp {
        /// A name to show.
        must name: String = "name",
        /// Its address.
        must url: String = "url",
        /// Headers to send with each request.
        null headers: Vec<HttpHeader> = "headers",
    }
}
