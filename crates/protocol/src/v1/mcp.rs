//! MCP servers that a session uses, and MCP messages sent over ACP.

use super::EnvVariable;
use crate::Secret;
use crate::wire::declare::{wire_id, wire_struct};
use crate::wire::either::wire_either;
use crate::{Fault, FaultKind, Map, Members, ObjectWriter, Raw, Reader, Wire, Writer};

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

wire_struct! {
    /// An HTTP header. The value may be secret.
    pub struct HttpHeader {
        /// Its name.
        must name: String = "name",
        /// Its value.
        must value: Secret = "value",
    }
}

wire_id! {
    /// The id of one MCP server behind this connection; unique on the connection. Unstable.
    pub struct McpServerAcpId;

    /// The id of an MCP request inside ACP. Its caller chooses it, and every program that forwards
    /// the request keeps it. Unstable.
    pub struct McpRequestId;
}

wire_struct! {
    /// A server that speaks through this connection. Unstable.
    pub struct McpServerAcp {
        /// Its human-readable name.
        must name: String = "name",
        /// Its id, which every message to the server contains.
        must server_id: McpServerAcpId = "serverId",
    }
}

wire_struct! {
    /// An MCP request to a server behind the client. Unstable.
    pub struct MessageMcpRequest {
        /// The server.
        must server_id: McpServerAcpId = "serverId",
        /// The MCP request's own id; not that of the ACP request around it.
        must request_id: McpRequestId = "requestId",
        /// The MCP method.
        must method: String = "method",
        /// Its parameters; anything but an object is fatal.
        strict params: Option<Map<Raw>> = "params",
    }
}

wire_struct! {
    /// An MCP notification that belongs to an active MCP request. Unstable.
    pub struct MessageMcpNotification {
        /// The server.
        must server_id: McpServerAcpId = "serverId",
        /// The active MCP request.
        must request_id: McpRequestId = "requestId",
        /// The MCP method.
        must method: String = "method",
        /// Its parameters; anything but an object is fatal.
        strict params: Option<Map<Raw>> = "params",
    }
}

wire_either! {
    /// The answer of the MCP server. If both keys are present, the error is ignored. Failures of
    /// ACP itself are JSON-RPC errors. Unstable.
    pub enum MessageMcpResponse, "an object with \"result\" or \"error\"" {
        /// It succeeded.
        Result(MessageMcpResult) with "result",
        /// It failed.
        Error(MessageMcpError) with "error",
    }
}

wire_struct! {
    /// An MCP request succeeded. Unstable.
    pub struct MessageMcpResult {
        /// The MCP result: any JSON value, including null.
        must result: Raw = "result",
    }
}

wire_struct! {
    /// An MCP request failed. Unstable.
    pub struct MessageMcpError {
        /// The MCP error.
        must error: McpError = "error",
    }
}

/// An error object of MCP, kept whole: unknown members and a null `data` are written back as they
/// arrived. Unstable.
#[derive(Debug, Clone, PartialEq)]
pub struct McpError {
    /// The error's code.
    pub code: i32,
    /// The error message.
    pub message: String,
    /// Details: any JSON value, including null.
    pub data: Option<Raw>,
    /// Its other members.
    pub other: Map<Raw>,
}

impl McpError {
    /// An error without details.
    pub fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None, other: Map::default() }
    }
}

impl Wire for McpError {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        let start = reader.place();
        let (mut code, mut message, mut data, mut other) = (None, None, None, Map::default());
        reader.object(|key, reader| {
            match key {
                "code" => code = Some(i32::read(reader)?),
                "message" => message = Some(String::read(reader)?),
                "data" => data = Some(Raw::read(reader)?),
                _ => other.0.push((key.to_owned(), Raw::read(reader)?)),
            }
            Ok(())
        })?;
        let missing = |key| Fault { at: start, kind: FaultKind::Missing(key) };
        Ok(Self {
            code: code.ok_or(missing("code"))?,
            message: message.ok_or(missing("message"))?,
            data,
            other,
        })
    }

    fn write(&self, writer: &mut Writer<'_>) {
        writer.object(|object| {
            object.member("code", &self.code);
            object.member("message", &self.message);
            if let Some(data) = &self.data {
                object.member("data", data);
            }
            self.other.0.iter().for_each(|(key, value)| object.member(key, value));
        });
    }

    #[cfg(feature = "schema")]
    fn shape() -> crate::Shape {
        let member = |key, mark, required, shape| crate::MemberShape { key, mark, required, shape };
        crate::Shape::Object {
            name: "McpError",
            members: vec![
                member("code", "must", true, i32::shape()),
                member("message", "must", true, String::shape()),
                member("data", "strict", false, crate::Shape::Any),
            ],
        }
    }
}
