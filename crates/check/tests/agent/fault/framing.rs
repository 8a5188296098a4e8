//! Faults in framing and JSON-RPC.

use crate::fault::{END, Fault, HUGE, error, fault, only, refuse};
use serde_json::{Value, json};

pub(super) const FAULTS: &[Fault] = &[
    fault("RPC-01", &[], |h, s| {
        if h.is("session/list") {
            s.push(json!("42"))
        }
    }),
    fault("RPC-03", &[], |h, s| {
        if h.is("initialize") {
            s.insert(0, json!("Welcome!"))
        }
    }),
    fault("RPC-08", &[], |h, s| {
        if h.text.ends_with('\r') {
            s.clear()
        }
    }),
    fault("RPC-09", &[], |h, s| {
        if h.is(END) {
            s.clear()
        }
    }),
    fault("RPC-09", &[], |h, s| {
        if h.is(END) && !h.before.turns.is_empty() {
            s.clear()
        }
    }),
    fault("RPC-09", &[], |h, s| {
        if h.is(END) && !h.before.turns.is_empty() && h.before.client == json!({}) {
            s.clear()
        }
    }),
    fault("RPC-10", &[], |h, s| {
        if h.is(HUGE) {
            s.clear()
        }
    }),
    fault("RPC-11", &[], |h, s| {
        if h.message["id"] == "770001" {
            s[0]["id"] = json!(770_001)
        }
    }),
    fault("RPC-12", &[], |h, s| {
        if h.message["id"] == 1.5 {
            only(s, Value::Null)
        }
    }),
    fault("RPC-14", &[], |h, s| {
        if h.is("session/delete") {
            s[0]["error"] = json!({"code": 1, "message": "x"})
        }
    }),
    fault("RPC-15", &[], |h, s| {
        if h.is("attache/count") {
            s.push(s[0].clone())
        }
    }),
    // The judge finds calls without a reply when the connection ends.
    fault("RPC-15", &["RPC-16"], |h, s| {
        if h.is("foo/bar") {
            s.clear()
        }
    }),
    fault("RPC-16", &[], |h, s| {
        if h.is("foo/bar") && !s.is_empty() {
            refuse(h, s, -32603)
        }
    }),
    fault("RPC-17", &["RPC-11", "RPC-15"], |h, s| {
        if h.is("foo/bar") && s.is_empty() {
            only(s, error(&Value::Null, -32601))
        }
    }),
    fault("RPC-18", &[], |h, s| {
        if h.is("$/zzz") {
            only(s, Value::Null)
        }
    }),
    fault("RPC-19", &[], |h, s| {
        if h.text == "{bad" {
            s.clear()
        }
    }),
    fault("RPC-20", &[], |h, s| {
        if h.text == "42" {
            only(s, error(&Value::Null, -32700))
        }
    }),
    fault("RPC-21", &[], |h, s| {
        if h.text.starts_with("[{") {
            s.push(s[0].clone())
        }
    }),
    fault("RPC-22", &[], |h, s| {
        if h.message["id"] == 990_099 {
            only(s, error(&json!(990_099), -32600))
        }
    }),
    fault("RPC-23", &[], |h, s| {
        if h.opens(|params| params["cwd"] == 5) {
            refuse(h, s, -32603)
        }
    }),
    fault("RPC-24", &[], |h, s| {
        if h.is("session/cancel") && h.params()["sessionId"].is_null() {
            only(s, Value::Null)
        }
    }),
    fault("RPC-25", &[], |h, s| {
        if h.is("session/list") && h.message.get("params") == Some(&Value::Null) {
            refuse(h, s, -32602)
        }
    }),
    fault("RPC-25", &[], |h, s| {
        if h.is("session/list") && h.message.get("params").is_none() {
            refuse(h, s, -32603)
        }
    }),
    fault("RPC-26", &[], |h, s| {
        if h.opens(|params| params["zzz"] == 1) {
            refuse(h, s, -32602)
        }
    }),
];
