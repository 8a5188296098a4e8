//! Faults in the MCP servers of a session.

use crate::fault::{Fault, Heard, calls, fault, misheard};
use serde_json::{Value, json};

/// Returns the servers in a message that opens a session.
fn servers(message: &mut Value) -> Option<&mut Vec<Value>> {
    message.pointer_mut("/params/mcpServers")?.as_array_mut()
}

/// Removes every server that meets this condition.
fn leave_out(message: &mut Value, is_such: fn(&Value) -> bool) {
    if let Some(servers) = servers(message) {
        servers.retain(|server| !is_such(server))
    }
}

/// Whether a message opens a session with a server of this behavior.
fn has(heard: Heard<'_>, manner: &str) -> bool {
    let servers = heard.message["params"]["mcpServers"].as_array();
    let is_such =
        |server: &Value| server["name"].as_str().is_some_and(|name| name.contains(manner));
    heard.is("session/new") && servers.is_some_and(|servers| servers.iter().any(is_such))
}

/// Whether this is a well-formed stdio server.
const IS_STDIO: fn(&Value) -> bool = |server| server["command"] == "/attache/check/relay";
const IS_HTTP: fn(&Value) -> bool = |server| server["type"] == "http";

pub(super) const FAULTS: &[Fault] = &[
    // No server is started.
    misheard("SESS-08", &["SESS-07", "SESS-20"], |_, m| leave_out(m, IS_STDIO)),
    // Servers are started without their variables.
    misheard("SESS-08", &[], |_, m| {
        for server in servers(m).into_iter().flatten().filter(|server| IS_STDIO(server)) {
            server["env"] = json!([])
        }
    }),
    // The tools of servers are not called.
    misheard("SESS-08", &["SESS-07"], |h, m| {
        if let (true, Some(text)) = (h.is("session/prompt"), m.pointer_mut("/params/prompt/0/text"))
        {
            *text =
                json!(text.as_str().unwrap_or_default().replace("attache_tool", "attache_other"))
        }
    }),
    // Only the first server is connected.
    misheard("SESS-07", &[], |h, m| {
        if let (true, Some(servers)) = (h.is("session/new"), servers(m))
            && servers.iter().all(|server| IS_STDIO(server) || IS_HTTP(server))
        {
            servers.truncate(1)
        }
    }),
    // HTTP servers are not connected, although the agent says that it supports them.
    misheard("SESS-07", &[], |_, m| leave_out(m, IS_HTTP)),
    // HTTP servers are connected without their headers.
    misheard("SESS-07", &[], |_, m| {
        for server in servers(m).into_iter().flatten().filter(|server| IS_HTTP(server)) {
            server["headers"] = json!([])
        }
    }),
    // A broken server prevents connections to the others.
    misheard("SESS-07", &[], |h, m| {
        if has(h, "gone") {
            m["params"]["mcpServers"] = json!([])
        }
    }),
    // A load connects to no server.
    misheard("SESS-07", &[], |h, m| {
        if h.is("session/load") {
            leave_out(m, IS_STDIO)
        }
    }),
    misheard("SESS-20", &[], |h, m| {
        if h.is("session/resume") {
            leave_out(m, IS_STDIO)
        }
    }),
    // Opening a session waits for a server that never answers.
    fault("RPC-15", &[], |h, s| {
        if has(h, "silent") {
            s.clear()
        }
    }),
    // Opening a session waits for a server that has ended.
    fault("RPC-27", &["RPC-15", "SESS-07"], |h, s| {
        if has(h, "gone") {
            s.clear()
        }
    }),
    fault("MCPA-02", &[], |_, s| {
        for call in calls(s, "mcp/message") {
            call["id"] = call["params"]["requestId"].clone()
        }
    }),
];
