//! Faults in extensions and metadata.

use crate::fault::{Fault, change, fault, only, refuse};
use serde_json::{Value, json};

pub(super) const FAULTS: &[Fault] = &[
    fault("META-02", &[], |h, s| {
        if h.params()["_meta"]["tracestate"].is_number() {
            refuse(h, s, -32602)
        }
    }),
    fault("META-03", &["INIT-21", "EXT-04"], |h, s| {
        if h.is("initialize") {
            change(s, "agentCapabilities", |all| all["flavour"] = json!(1))
        }
    }),
    fault("EXT-01", &["RPC-16"], |h, s| {
        if h.is("session/prompt") {
            s.insert(0, json!({"jsonrpc": "2.0", "method": "attache/flavour", "params": {}}))
        }
    }),
    fault("EXT-02", &[], |h, s| {
        if h.is("_x/y") && !s.is_empty() {
            refuse(h, s, -32603)
        }
    }),
    fault("EXT-03", &[], |h, s| {
        if h.is("_x/y") && s.is_empty() {
            only(s, Value::Null)
        }
    }),
];
