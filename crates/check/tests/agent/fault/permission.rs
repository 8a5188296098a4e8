//! Faults in permission requests and in the effect of their answers.

use crate::fault::{Fault, Heard, calls, fault, misheard};
use serde_json::{Value, json};

pub(super) const FAULTS: &[Fault] = &[
    fault("PERM-01", &[], |h, s| {
        if h.before.client.get("fs").is_none_or(Value::is_null) {
            calls(s, ASK).for_each(answer_itself)
        }
    }),
    misheard("PERM-02", &["PERM-12"], |h, m| {
        if chosen(h) == "no" {
            *m = allowed(&h.message["id"])
        }
    }),
    fault("PERM-02", &["CANCEL-22", "CANCEL-23", "PERM-04", "PERM-07", "PERM-12"], |_, s| {
        let answers: Vec<Value> =
            calls(s, ASK).map(|ask| json!({"hears": allowed(&ask["id"])})).collect();
        s.extend(answers)
    }),
    fault("PERM-02", &["PERM-12"], |h, s| {
        let others =
            h.before.calls.iter().filter(|(id, method)| *method == ASK && h.message["id"] != *id);
        if chosen(h) == "yes" {
            s.extend(others.map(|(id, _)| json!({"hears": allowed(&json!(id))})))
        }
    }),
    misheard("PERM-04", &[], |h, m| {
        if h.answers == ASK
            && !["yes", "always", "no", "never"].contains(&chosen(h))
            && h.message["result"]["outcome"]["outcome"] != "cancelled"
        {
            *m = allowed(&h.message["id"])
        }
    }),
    misheard("PERM-07", &[], |h, m| {
        if chosen(h) == "always" {
            m["result"]["outcome"]["optionId"] = json!("yes")
        }
    }),
    misheard("PERM-07", &[], |h, m| {
        if chosen(h) == "never" {
            m["result"]["outcome"]["optionId"] = json!("no")
        }
    }),
    misheard("PERM-12", &[], |h, m| {
        let first = h.before.calls.iter().find(|(_, method)| *method == ASK);
        if let (ASK, Some((first, _))) = (h.answers, first) {
            m["id"] = json!(first)
        }
    }),
];

const ASK: &str = "session/request_permission";

/// Returns the option that the answer chooses, if any.
fn chosen<'h>(heard: Heard<'h>) -> &'h str {
    let is_answer = heard.answers == ASK;
    heard.message["result"]["outcome"]["optionId"]
        .as_str()
        .filter(|_| is_answer)
        .unwrap_or_default()
}

fn allowed(id: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": {"outcome": {"outcome": "selected", "optionId": "yes"}}})
}

/// Does not send the request, and treats the action as allowed.
fn answer_itself(ask: &mut Value) {
    *ask = json!({"hears": allowed(&ask["id"])});
}
