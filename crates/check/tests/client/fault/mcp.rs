//! Faults in the client's MCP servers.

use super::{Fault, change, change_answer};
use crate::correct::Said;
use serde_json::json;

pub(crate) const FAULTS: &[Fault] = &[
    Fault::says("MCPA-01", &[], |_, s| {
        change(s, "session/new", |params| {
            let servers = params["mcpServers"].as_array_mut().unwrap();
            let own = servers.iter().find(|server| server["type"] == "acp").cloned();
            servers.extend(own);
        });
    }),
    Fault::says("MCPA-03", &["DEC-20"], |h, s| {
        change_answer(h, s, "mcp/message", |_, answer| {
            answer["result"].as_object_mut().unwrap().retain(|key, _| key != "error");
        });
    }),
    Fault::says("MCPA-04", &[], |h, s| {
        if h.is("mcp/message") && h.params()["method"] == "ping" {
            let params = json!({"serverId": "server-1", "requestId": "inner-ping", "method": "notifications/progress"});
            s.push(Said::Line(
                json!({"jsonrpc": "2.0", "method": "mcp/message", "params": params}),
            ));
        }
    }),
    Fault::says("RPC-31", &[], |_, s| {
        change(s, "session/new", |params| {
            for server in params["mcpServers"].as_array_mut().unwrap() {
                if server["name"] == "local" {
                    server["command"] = json!("true");
                }
            }
        });
    }),
];
