//! Faults in the handshake.

use super::{Fault, change};
use crate::correct::Said;
use serde_json::{Value, json};

pub(crate) const FAULTS: &[Fault] = &[
    Fault::says("RPC-04", &[], |h, s| {
        if h.message.is_null() {
            s.push(Said::Raw("starting…".to_owned()));
        }
    }),
    SESSION_FIRST,
    Fault::says("INIT-03", &["DEC-20"], |_, s| {
        change(s, "initialize", |params| params["protocolVersion"] = json!("1"))
    }),
    Fault::hears("INIT-07", &[], |_, message| {
        if message["result"]["protocolVersion"] == 7 {
            message["result"]["protocolVersion"] = json!(1);
        }
    }),
    Fault::says("INIT-04", &["DEC-20"], |_, s| {
        change(s, "initialize", |params| params["clientInfo"] = json!({"name": "x"}))
    }),
    Fault::hears("INIT-10", &[], |_, message| {
        reject(message, |capabilities| capabilities.get("loadSession").is_some_and(Value::is_null))
    }),
    Fault::hears("INIT-12", &[], |_, message| {
        reject(message, |capabilities| capabilities.get("attacheFuture").is_some())
    }),
    Fault::hears("INIT-13", &[], |_, message| {
        reject(message, |capabilities| capabilities["mcpCapabilities"] == false)
    }),
    Fault::hears("INIT-20", &[], |_, message| {
        reject(message, Value::is_null);
    }),
];

/// Opens a session before the handshake.
pub(crate) const SESSION_FIRST: Fault =
    Fault::says("INIT-01", &["PROMPT-01", "RPC-13", "SESS-26"], |h, s| {
        if h.message.is_null() {
            let params = json!({"cwd": h.client.task.cwd(), "mcpServers": []});
            s.insert(
                0,
                Said::Line(
                    json!({"jsonrpc": "2.0", "id": 77, "method": "session/new", "params": params}),
                ),
            );
        }
    });

/// Makes the client reject the reply to `initialize` if the agent's capabilities meet this
/// condition.
fn reject(message: &mut Value, is_refused: fn(&Value) -> bool) {
    if message["result"]["protocolVersion"].is_number()
        && is_refused(&message["result"]["agentCapabilities"])
    {
        *message =
            json!({"jsonrpc": "2.0", "id": 0, "error": {"code": 1, "message": "what is that"}});
    }
}
