//! Faults in the handling of unknown or malformed updates.

use super::{Fault, Heard};
use crate::correct::Said;
use serde_json::{Value, json};

pub(crate) const FAULTS: &[Fault] = &[
    Fault::says("DEC-03", &[], |h, s| {
        ends(h, s, |update| {
            update["sessionUpdate"] == "plan" && update.get("entries") == Some(&Value::Null)
        })
    }),
    Fault::says("DEC-11", &[], |h, s| ends(h, s, |update| update["title"] == 7)),
    Fault::says("DEC-12", &[], |h, s| ends(h, s, |update| update["used"] == 1.5)),
    Fault::says("DEC-18", &[], |h, s| ends(h, s, |update| update["sessionUpdate"] == "check_zzz")),
    Fault::says("INFO-12", &[], |h, s| {
        ends(h, s, |update| {
            update["sessionUpdate"] == "session_info_update" && update.get("_meta").is_some()
        })
    }),
    Fault::says("USE-07", &[], |h, s| ends(h, s, |update| update["size"] == 0)),
    Fault::says("USE-08", &[], |h, s| ends(h, s, |update| update["cost"]["amount"] == "much")),
    Fault::says("META-01", &[], |h, s| {
        ends(h, s, |update| update["_meta"]["traceparent"].is_string())
    }),
    Fault::says("META-02", &[], |h, s| ends(h, s, |update| update["_meta"] == 5)),
    Fault::hears("DEC-13", &[], |_, message| {
        if message["params"]["update"].get("attacheFuture").is_some() {
            *message = json!({"jsonrpc": "2.0", "method": "attache/none"});
        }
    }),
    Fault::hears("INFO-10", &[], |_, message| {
        if message["params"]["update"]["updatedAt"] == 7 {
            message["params"]["update"]["title"] = Value::Null;
        }
    }),
];

/// Ends the client after an update that meets this condition.
fn ends(heard: &Heard<'_>, said: &mut Vec<Said>, is_too_much: fn(&Value) -> bool) {
    if heard.is("session/update") && is_too_much(&heard.params()["update"]) {
        said.push(Said::Left(1));
    }
}
