//! Faults in the decoding of params.

use crate::fault::{Fault, fault, give, refuse};
use serde_json::json;

pub(super) const FAULTS: &[Fault] = &[
    fault("META-01", &["DEC-01"], |h, s| {
        if h.is("session/set_mode") && h.params().get("_meta").is_some() {
            refuse(h, s, -32602)
        }
    }),
    fault("DEC-01", &[], |h, s| {
        if h.is("initialize") && h.params()["clientInfo"].is_string() {
            refuse(h, s, -32602)
        }
    }),
    fault("DEC-02", &[], |h, s| {
        if h.params()["prompt"][0]["annotations"]["audience"][0] == 7 {
            refuse(h, s, -32602)
        }
    }),
    fault("DEC-05", &[], |h, s| {
        if h.params()["mcpServers"][0]["command"].is_string()
            && h.params()["mcpServers"][0]["args"].is_null()
        {
            refuse(h, s, -32603)
        }
    }),
    fault("DEC-06", &[], |h, s| {
        if h.is("session/list") && h.params()["cwd"] == 7 {
            give(h, s, json!({"sessions": []}))
        }
    }),
    fault("DEC-07", &["PROMPT-05"], |h, s| {
        if h.params()["prompt"][0] == 7 {
            give(h, s, json!({"stopReason": "end_turn"}))
        }
    }),
    fault("DEC-08", &["PROMPT-05"], |h, s| {
        if h.params()["prompt"][0]["type"] == "attache_video" {
            give(h, s, json!({"stopReason": "end_turn"}))
        }
    }),
    fault("DEC-12", &[], |h, s| {
        if h.params()["prompt"][0]["size"] == "12" {
            refuse(h, s, -32602)
        }
    }),
    fault("DEC-13", &[], |h, s| {
        if h.is("session/set_mode") && h.params().get("attacheUnknown").is_some() {
            refuse(h, s, -32602)
        }
    }),
    fault("DEC-22", &[], |h, s| {
        if h.text.starts_with(r#"{"params""#) {
            refuse(h, s, -32600)
        }
    }),
];
