//! A minimal client of the Model Context Protocol that can call tools: over stdio, HTTP, and the
//! ACP connection itself.

mod http;
mod stdio;

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use agent_client_protocol::Client;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    ContentBlock, McpServer, McpServerAcpId, MessageMcpRequest, MessageMcpResponse,
};
use serde_json::{Map, Value, json};
use tokio::sync::Mutex;

/// The time limit for a server to be ready. A slow server is left out, and the session continues
/// (SESS-07).
const PATIENCE: Duration = Duration::from_secs(3);
const VERSION: &str = "2025-06-18";

/// The error is a message for people.
type Result<T> = std::result::Result<T, String>;

enum Link {
    Stdio(Box<stdio::Stdio>),
    Http(http::Http),
    OverAcp { client: ConnectionTo<Client>, server: McpServerAcpId },
}

struct Server {
    link: Link,
    tools: Vec<String>,
}

/// The MCP servers of a session.
#[derive(Default)]
pub(crate) struct McpServers(Mutex<Vec<Server>>);

/// The result of a tool.
pub(crate) struct Outcome {
    pub(crate) content: Vec<ContentBlock>,
    pub(crate) is_error: bool,
}

impl McpServers {
    /// Connects to all servers, and returns a message for each that is unavailable.
    pub(crate) async fn open(
        servers: Vec<McpServer>,
        cwd: &Path,
        client: &ConnectionTo<Client>,
    ) -> (Self, Vec<String>) {
        let (mut open, mut missing) = (Vec::new(), Vec::new());
        for server in servers {
            let name = name(&server).to_owned();
            match tokio::time::timeout(PATIENCE, connect(server, cwd, client)).await {
                Ok(Ok(server)) => open.push(server),
                Ok(Err(why)) => {
                    missing.push(format!("The MCP server {name} is unavailable: {why}"))
                }
                Err(_) => missing
                    .push(format!("The MCP server {name} is unavailable: it does not respond")),
            }
        }
        (Self(Mutex::new(open)), missing)
    }

    /// Calls a tool; `None` if no server has it.
    pub(crate) async fn call(&self, name: &str, arguments: Map<String, Value>) -> Option<Outcome> {
        let mut servers = self.0.lock().await;
        let server =
            servers.iter_mut().find(|server| server.tools.iter().any(|tool| tool == name))?;
        let called =
            server.link.request("tools/call", json!({"name": name, "arguments": arguments})).await;
        Some(match called {
            Ok(result) => {
                let blocks = result["content"].as_array().into_iter().flatten();
                let content =
                    blocks.filter_map(|block| serde_json::from_value(block.clone()).ok()).collect();
                Outcome { content, is_error: result["isError"] == true }
            }
            Err(why) => Outcome { content: vec![why.into()], is_error: true },
        })
    }

    pub(crate) async fn close(&self) {
        self.0.lock().await.clear();
    }
}

fn name(server: &McpServer) -> &str {
    match server {
        McpServer::Http(server) => &server.name,
        McpServer::Sse(server) => &server.name,
        McpServer::Acp(server) => &server.name,
        McpServer::Stdio(server) => &server.name,
        _ => "of an unknown type",
    }
}

async fn connect(server: McpServer, cwd: &Path, client: &ConnectionTo<Client>) -> Result<Server> {
    let mut link = match server {
        McpServer::Stdio(server) => Link::Stdio(Box::new(stdio::Stdio::start(&server, cwd)?)),
        McpServer::Http(server) => Link::Http(http::Http::new(server)?),
        McpServer::Acp(server) => {
            Link::OverAcp { client: client.clone(), server: server.server_id }
        }
        _ => return Err("its type is not supported".into()),
    };
    // MCP over ACP has no handshake. Instead, every request contains the information of a
    // handshake.
    if !matches!(link, Link::OverAcp { .. }) {
        let hello = json!({"protocolVersion": VERSION, "capabilities": {}, "clientInfo": info()});
        link.request("initialize", hello).await?;
        link.notify("notifications/initialized").await?;
    }
    let listed = link.request("tools/list", json!({})).await?;
    let tools = listed["tools"].as_array().into_iter().flatten();
    let tools = tools.filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect();
    Ok(Server { link, tools })
}

fn info() -> Value {
    json!({"name": "official-agent", "version": "5.0.0"})
}

impl Link {
    async fn request(&mut self, method: &str, params: Value) -> Result<Value> {
        match self {
            Self::Stdio(stdio) => stdio.request(method, params).await,
            Self::Http(http) => http.request(method, params).await,
            Self::OverAcp { client, server } => over_acp(client, server, method, params).await,
        }
    }

    async fn notify(&mut self, method: &str) -> Result<()> {
        match self {
            Self::Stdio(stdio) => stdio.notify(method).await,
            Self::Http(http) => http.notify(method).await,
            Self::OverAcp { .. } => Ok(()),
        }
    }
}

/// Sends MCP messages as `mcp/message` to a server that the client runs.
async fn over_acp(
    client: &ConnectionTo<Client>,
    server: &McpServerAcpId,
    method: &str,
    mut params: Value,
) -> Result<Value> {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let id = format!("mcp-{}", LAST.fetch_add(1, Relaxed) + 1);
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": info(),
    });
    let params = params.as_object().cloned();
    let request = MessageMcpRequest::new(server.clone(), id, method).params(params);
    match client.send_request(request).block_task().await {
        Ok(MessageMcpResponse::Result { result, .. }) => Ok(result),
        Ok(MessageMcpResponse::Error { error, .. }) => Err(error.message),
        Ok(_) => Err("its response has neither a result nor an error".into()),
        Err(error) => Err(error.message),
    }
}

/// Returns the result in a reply, or the message of its error.
fn outcome(mut reply: Value) -> Result<Value> {
    match reply["error"]["message"].as_str() {
        Some(message) => Err(message.to_owned()),
        None => Ok(reply["result"].take()),
    }
}
