//! Faults in prompts and in the states of work.

use crate::fault::{Fault, Heard, change, fault, misheard, refuse, update, updates};
use serde_json::{Value, json};

pub(super) const FAULTS: &[Fault] = &[
    misheard("V2-15", &[], |h, m| {
        if h.params()["prompt"][1]["type"] == "attache-unknown" {
            m["params"]["prompt"][1] = json!({"type": "text", "text": "x"})
        }
    }),
    fault("V2-28", &[], |_, s| {
        change(s, "messageId", |id| {
            if id.as_str().is_some_and(|id| id.starts_with('m')) {
                *id = json!("m")
            }
        })
    }),
    fault("V2-29", &[], |_, s| {
        updates(s, "user_message").for_each(|update| update["messageId"] = json!("other"))
    }),
    misheard("V2-30", &[], |h, m| {
        if is_cancelled_at_once(h) {
            *m = Value::Null
        }
    })
    .and(|h, s| {
        if is_cancelled_at_once(h) {
            refuse(h, s, -32603)
        }
    }),
    fault("V2-31", &["V2-32"], |h, s| {
        if h.is("session/prompt") {
            s.retain(|line| line["params"]["update"]["state"] != "running")
        }
    }),
    fault("V2-32", &[], |h, s| {
        if h.is("session/prompt") && s.iter().any(is_idle) {
            let again = json!({"sessionUpdate": "state_update", "state": "idle", "stopReason": "max_turn_requests", "background": []});
            s.push(update(&h.params()["sessionId"], again))
        }
    }),
    fault("V2-33", &[], |h, s| {
        for update in updates(s, "state_update").filter(|_| h.text.contains("attache: one")) {
            update.as_object_mut().unwrap().remove("stopReason");
        }
    }),
    fault("V2-34", &[], |_, s| {
        for update in updates(s, "state_update") {
            update.as_object_mut().unwrap().remove("error");
        }
    }),
    fault("V2-35", &[], |h, s| {
        for update in updates(s, "state_update").filter(|_| h.is("session/cancel")) {
            update["stopReason"] = json!("end_turn")
        }
    }),
    fault("V2-37", &[], |h, s| {
        if h.answers == "session/request_permission" {
            s.retain(|line| line["params"]["update"]["state"] != "running")
        }
    }),
    fault("V2-38", &["V2-39"], |_, s| {
        for update in updates(s, "state_update").filter(|update| update["state"] == "running") {
            update["background"] = json!([{"type": "terminal", "terminalId": "ghost"}])
        }
    }),
    fault("V2-40", &[], |_, s| {
        for update in updates(s, "state_update").filter(|update| update["state"] == "idle") {
            update.as_object_mut().unwrap().remove("background");
        }
    }),
    fault("V2-72", &[], |h, s| {
        if h.params()["prompt"][1]["type"] == "resource_link" {
            refuse(h, s, -32602)
        }
    }),
    fault("V2-72", &[], |h, s| {
        if h.is("session/prompt") {
            refuse(h, s, -32600)
        }
    }),
];

fn is_cancelled_at_once(heard: Heard<'_>) -> bool {
    heard.is("session/prompt") && heard.text.contains("attache: at once")
}

fn is_idle(line: &Value) -> bool {
    line["params"]["update"]["state"] == "idle"
}
