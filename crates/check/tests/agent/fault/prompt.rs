//! Faults in prompts.

use crate::fault::{Fault, change, fault, give, misheard, only, refuse};
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
    // Three faults: the agent does not know the method, does not answer, or ends.
    fault("PROMPT-06", &[], |h, s| {
        if h.is("session/prompt") && h.is_initialized {
            refuse(h, s, -32601)
        }
    }),
    misheard("PROMPT-06", &[], |h, m| {
        if h.is("session/prompt") {
            *m = Value::Null
        }
    }),
    fault("PROMPT-06", &[], |h, s| {
        if h.is("session/prompt") && h.is_initialized {
            only(s, Value::Null)
        }
    }),
    // The agent answers the first prompt of a session and refuses all others.
    fault("PROMPT-06", &[], |h, s| {
        let words = ["attache-only-in-one", "recall", "attache another message"];
        if h.is("session/prompt")
            && words.iter().any(|word| h.prompts_with(word))
            && h.before.turns.is_empty()
        {
            refuse(h, s, -32601)
        }
    }),
    fault("PROMPT-17", &[], |h, s| {
        if h.params()["prompt"] == json!([]) {
            s.clear()
        }
    }),
];

/// An agent without a model: every turn fails with the reason.
pub(crate) const NO_MODEL: Fault = fault("PROMPT-10", &[], |h, s| {
    let is_right = |line: &Value| line["result"].get("stopReason").is_some();
    if h.is("session/prompt") && s.iter().any(is_right)
        || h.prompts_with("{\"acts\":") && h.is_initialized
    {
        refuse(h, s, -32603);
        s[0]["error"]["message"] = json!("no model is configured: set MODEL_KEY")
    }
});
