//! Faults in how it introduces itself.

use super::{Fault, change};
use crate::correct::Said;
use serde_json::json;

pub(crate) const FAULTS: &[Fault] = &[
    Fault::says("RPC-04", &[], |h, s| {
        if h.message.is_null() {
            s.push(Said::Raw("starting…".to_owned()));
        }
    }),
    Fault::says("INIT-01", &[], |h, s| {
        if h.message.is_null() {
            let params = json!({"cwd": h.client.errand.cwd(), "mcpServers": []});
            s.insert(
                0,
                Said::Line(json!({"jsonrpc": "2.0", "id": 77, "method": "session/new", "params": params})),
            );
        }
    }),
    Fault::says("INIT-03", &["DEC-20"], |_, s| {
        change(s, "initialize", |params| params["protocolVersion"] = json!("1"))
    }),
    Fault::hears("INIT-07", &[], |_, message| {
        if message["result"]["protocolVersion"] == 7 {
            message["result"]["protocolVersion"] = json!(1);
        }
    }),
    Fault::hears("INIT-12", &[], |_, message| {
        if message["result"]["agentCapabilities"].get("attacheFuture").is_some() {
            *message = json!({"jsonrpc": "2.0", "id": 0, "error": {"code": 1, "message": "what is that"}});
        }
    }),
];
