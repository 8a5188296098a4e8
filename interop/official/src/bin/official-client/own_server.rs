//! An MCP server that the client runs itself, over the ACP connection, with one tool,
//! `client_echo`.

use agent_client_protocol::v1::schema::{McpError, MessageMcpRequest, MessageMcpResponse};
use agent_client_protocol::{Error, Result};
use serde_json::{Value, json};

/// One id is enough for the only server of a connection (MCPA-01).
pub(crate) const ID: &str = "official-client-echo";

/// Answers one message: with a result or error of MCP, or with an error of ACP for an unknown
/// server (MCPA-03).
pub(crate) fn answer(request: &MessageMcpRequest) -> Result<MessageMcpResponse> {
    if &*request.server_id.0 != ID {
        return Err(
            Error::invalid_params().data(format!("server {} does not exist", request.server_id.0))
        );
    }
    Ok(match request.method.as_str() {
        "tools/list" => {
            let schema = json!({"type": "object"});
            let tool = json!({"name": "client_echo", "description": "Gives its arguments back.", "inputSchema": schema});
            MessageMcpResponse::success(json!({"tools": [tool]}))
        }
        "tools/call" => {
            let arguments = request.params.as_ref().and_then(|params| params.get("arguments"));
            let text = arguments.unwrap_or(&Value::Null).to_string();
            MessageMcpResponse::success(json!({"content": [{"type": "text", "text": text}]}))
        }
        _ => MessageMcpResponse::error(McpError::new(-32601, "Method not found")),
    })
}
