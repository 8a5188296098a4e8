//! MCP servers: connecting when a session opens, listing tools and calling them.

use super::session::list_or_null;
use super::{Correct, call::Call};
use attache_check::{McpConnection, McpReach};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The servers of all open sessions.
#[derive(Default)]
pub(super) struct Servers {
    reach: McpReach,
    /// The servers of each session, with the names of their tools.
    open: BTreeMap<String, Vec<(McpConnection, Vec<String>)>>,
    /// The ids of the servers over ACP in a newly opened session.
    own: Vec<Value>,
}

impl Servers {
    pub(super) fn new(reach: McpReach) -> Self {
        Self { reach, ..Self::default() }
    }
}

/// Whether this is a well-formed server with a supported transport.
pub(super) fn is_server(server: &Value) -> bool {
    let is_pair = |it: &Value| it["name"].is_string() && it["value"].is_string();
    let are_pairs = |list: &Value| list_or_null(list).is_ok_and(|list| list.iter().all(is_pair));
    match server["type"].as_str() {
        Some("http") => server["url"].is_string() && are_pairs(&server["headers"]),
        Some("acp") => server["serverId"].is_string(),
        Some("sse") => false,
        _ => {
            let arguments = list_or_null(&server["args"]);
            let are_arguments = arguments.is_ok_and(|list| list.iter().all(Value::is_string));
            let is_whole = server["command"].is_string() && server.get("args").is_some();
            is_whole && are_arguments && are_pairs(&server["env"])
        }
    }
}

fn pairs(list: &Value) -> Vec<(&str, &str)> {
    let pairs = list.as_array().into_iter().flatten();
    pairs.filter_map(|pair| Some((pair["name"].as_str()?, pair["value"].as_str()?))).collect()
}

/// Sends a request to a server. Returns the result, or `None` for an error or no reply.
fn request(server: &McpConnection, method: &str, params: Value) -> Option<Value> {
    let answer =
        server.answer(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))?;
    answer.get("result").cloned()
}

impl Correct {
    /// Connects to servers. Skips a server that does not exist or does not answer.
    pub(super) fn open_servers(&mut self, session: &str, servers: &[Value]) {
        let mut open = Vec::new();
        for server in servers {
            if server["type"] == "acp" {
                self.servers.own.push(server["serverId"].clone());
                continue;
            }
            let met = match server["url"].as_str() {
                Some(url) => self.servers.reach.connect(url, &pairs(&server["headers"])),
                None => {
                    let arguments = server["args"].as_array().into_iter().flatten();
                    let arguments: Vec<&str> = arguments.filter_map(Value::as_str).collect();
                    self.servers.reach.start(&arguments, &pairs(&server["env"]))
                }
            };
            let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "correct", "version": "1"}});
            let Some(met) = met.filter(|met| request(met, "initialize", hello).is_some()) else {
                continue;
            };
            let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
            assert_eq!(met.answer(&initialized), None);
            let listed = request(&met, "tools/list", json!({})).unwrap_or_default();
            let tools = listed["tools"].as_array().into_iter().flatten();
            let tools = tools.filter_map(|tool| Some(tool["name"].as_str()?.to_owned())).collect();
            open.push((met, tools));
        }
        self.servers.open.insert(session.to_owned(), open);
    }

    /// Lists the tools of the servers over ACP.
    pub(super) fn ask_own_servers(&mut self, session: &str) {
        for server in std::mem::take(&mut self.servers.own) {
            let id = self.last_call;
            self.last_call += 1;
            let params = json!({"serverId": server, "requestId": format!("inner-{id}"), "method": "tools/list", "params": {}});
            self.said.push(
                json!({"jsonrpc": "2.0", "id": id, "method": "mcp/message", "params": params}),
            );
            let call = Call {
                method: "mcp/message",
                session: session.to_owned(),
                tool: None,
                is_cancelled: false,
            };
            self.calls.insert(id, call);
        }
    }

    /// Calls the tool of a server. If the server does not answer, the call keeps waiting.
    pub(super) fn call_server(&mut self, session: &str, id: &str) {
        let name = self.turns[session].tools[id].text("name").to_owned();
        let mut servers = self.servers.open.get(session).into_iter().flatten();
        let Some((server, _)) = servers.find(|(_, tools)| tools.contains(&name)) else {
            return self.finish_tool(session, id, false, None);
        };
        let Some(result) = request(server, "tools/call", json!({"name": name, "arguments": {}}))
        else {
            return;
        };
        let blocks = result["content"].as_array().into_iter().flatten();
        let content = blocks.map(|block| json!({"type": "content", "content": block})).collect();
        self.finish_tool(session, id, result["isError"] != true, Some(content));
    }
}
