//! MCP servers that a session uses, and MCP messages sent over ACP.

use super::{EnvVariable, HttpHeader, McpServerAcp};
use crate::wire::declare::wire_struct;
use crate::{Fault, FaultKind, Members, ObjectWriter, Reader, Wire, Writer};

/// An MCP server that the agent should connect to. `type` distinguishes the variants; stdio has
/// none. A server with any other `type`, including `stdio`, is read as a stdio server if it has the
/// fields of one, and is an error otherwise.
#[derive(Debug, Clone, PartialEq)]
pub enum McpServer {
    /// A program that the agent starts. Every agent supports this.
    Stdio(McpServerStdio),
    /// Streamable HTTP; only with `mcpCapabilities.http`.
    Http(McpServerHttp),
    /// Server-sent events; only with `mcpCapabilities.sse`.
    Sse(McpServerSse),
    /// A server that speaks through this connection; only with `mcpCapabilities.acp`. Unstable.
    Acp(McpServerAcp),
}

impl McpServer {
    /// The server's name.
    pub fn name(&self) -> &str {
        match self {
            Self::Stdio(server) => &server.name,
            Self::Http(server) => &server.name,
            Self::Sse(server) => &server.name,
            Self::Acp(server) => &server.name,
        }
    }
}

impl Wire for McpServer {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        let kind = reader.tag("type")?;
        let start = reader.place();
        reader.taken(start, &["type"]);
        match kind.as_deref() {
            Some("http") => McpServerHttp::read(reader).map(Self::Http),
            Some("sse") => McpServerSse::read(reader).map(Self::Sse),
            Some("acp") => McpServerAcp::read(reader).map(Self::Acp),
            None | Some("stdio") => McpServerStdio::read(reader).map(Self::Stdio),
            Some(_) => {
                let mark = reader.checkpoint();
                McpServerStdio::read(reader).map(Self::Stdio).map_err(|fault| {
                    reader.rewind(mark);
                    match fault.kind {
                        FaultKind::Missing(_) => reader.fault(FaultKind::NotOneOf("McpServer")),
                        _ => fault,
                    }
                })
            }
        }
    }

    fn write(&self, writer: &mut Writer<'_>) {
        writer.object(|object| self.write_members(object, &[]));
    }

    #[cfg(feature = "schema")]
    fn shape() -> crate::Shape {
        crate::Shape::Union {
            name: "McpServer",
            tag: "type",
            variants: vec![
                ("", McpServerStdio::shape()),
                ("http", McpServerHttp::shape()),
                ("sse", McpServerSse::shape()),
                ("acp", McpServerAcp::shape()),
            ],
            open: false,
        }
    }
}

impl Members for McpServer {
    fn write_members(&self, object: &mut ObjectWriter<'_>, except: &[&str]) {
        let (kind, server): (_, &dyn Fn(&mut ObjectWriter<'_>)) = match self {
            Self::Stdio(server) => (None, &|object| server.write_members(object, except)),
            Self::Http(server) => (Some("http"), &|object| server.write_members(object, except)),
            Self::Sse(server) => (Some("sse"), &|object| server.write_members(object, except)),
            Self::Acp(server) => (Some("acp"), &|object| server.write_members(object, except)),
        };
        if let Some(kind) = kind {
            object.key("type").string(kind);
        }
        server(object);
    }
}

wire_struct! {
    /// A server that the agent starts as a program.
    pub struct McpServerStdio {
        /// Its human-readable name.
        must name: String = "name",
        /// The program, absolute.
        must command: String = "command",
        /// Its arguments. The key is required.
        must_null args: Vec<String> = "args",
        /// Its environment variables. The key is required.
        must_null env: Vec<EnvVariable> = "env",
    }
}

wire_struct! {
    /// A server reached by streamable HTTP.
    pub struct McpServerHttp {
        /// Its human-readable name.
        must name: String = "name",
        /// The URL.
        must url: String = "url",
        /// Headers of every request to it. The key is required.
        must_null headers: Vec<HttpHeader> = "headers",
    }
}

wire_struct! {
    /// A server reached by HTTP with server-sent events.
    pub struct McpServerSse {
        /// Its human-readable name.
        must name: String = "name",
        /// The URL.
        must url: String = "url",
        /// Headers of every request to it. The key is required.
        must_null headers: Vec<HttpHeader> = "headers",
    }
}
