//! Faults in other messages during a turn.

use crate::fault::{Fault, fault, misheard};
use serde_json::Value;

pub(super) const FAULTS: &[Fault] = &[
    misheard("RPC-13", &["RPC-15"], |h, m| {
        let is_open = |id: &Value| h.before.calls.iter().any(|(open, _)| id == open);
        if !h.method.is_empty() && is_open(&h.message["id"]) {
            *m = Value::Null
        }
    }),
    fault("RPC-28", &["RPC-15"], |h, s| {
        if h.is("session/list") && !h.before.turns.is_empty() {
            s.clear()
        }
    }),
    fault("RPC-33", &[], |h, s| {
        if h.message["error"]["code"] == 7 {
            *s = vec![Value::Null]
        }
    }),
];
