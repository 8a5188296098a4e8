//! An MCP server that the client serves itself, over the ACP connection: one tool, `client_echo`.

use agent_client_protocol::v1::schema::{McpError, MessageMcpRequest, MessageMcpResponse};
use agent_client_protocol::{Error, Result};
use serde_json::{Value, json};

/// The only server of a connection, so one id is enough (MCPA-01).
pub(crate) const ID: &str = "official-client-echo";

/// The answer to one message: a result or an error of MCP, and an error of ACP when it is for
/// nobody here (MCPA-03).
pub(crate) fn answer(request: &MessageMcpRequest) -> Result<MessageMcpResponse> {
    if &*request.server_id.0 != ID {
        return Err(
            Error::invalid_params().data(format!("there is no server {}", request.server_id.0))
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
