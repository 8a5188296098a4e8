//! Faults in what is told of tool calls.

use crate::fault::{Fault, change, fault};
use serde_json::json;

pub(super) const FAULTS: &[Fault] = &[
    fault("RPC-31", &[], |h, s| {
        if h.is("session/prompt") {
            change(s, "locations", |all| all[0]["path"] = json!("a"))
        }
    }),
    fault("RPC-32", &[], |h, s| {
        if h.is("session/prompt") {
            change(s, "locations", |all| all[0]["line"] = json!(0))
        }
    }),
    fault("TOOL-03", &["TOOL-08"], |h, s| {
        if h.is("session/prompt") {
            change(s, "toolCallId", |id| *id = json!("t"));
            s.retain(|line| line["params"]["update"]["sessionUpdate"] != "tool_call")
        }
    }),
];
