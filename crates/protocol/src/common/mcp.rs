//! MCP messages sent over ACP, and parts of MCP servers.

use crate::wire::declare::{wire_id, wire_struct};
use crate::wire::either::wire_either;
use crate::{Fault, FaultKind, Map, Raw, Reader, Secret, Wire, Writer};

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
