//! Faults in prompts.

use crate::fault::{Fault, change, fault, give, misheard};
use serde_json::{Value, json};

pub(super) const FAULTS: &[Fault] = &[
    fault("PROMPT-04", &[], |h, s| {
        if h.params()["prompt"][0]["type"] == "audio" {
            give(h, s, json!({"stopReason": "end_turn"}))
        }
    }),
    misheard("PROMPT-05", &[], |h, m| {
        if h.params()["prompt"][1]["type"] == "text" {
            m["params"]["prompt"] = json!([h.params()["prompt"][0]])
        }
    }),
    fault("PROMPT-06", &["DEC-20"], |h, s| {
        if h.is("session/prompt") {
            change(s, "stopReason", |reason| *reason = Value::Null)
        }
    }),
    fault("PROMPT-17", &[], |h, s| {
        if h.params()["prompt"] == json!([]) {
            s.clear()
        }
    }),
];
