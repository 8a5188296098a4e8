//! Faults in using the client's terminals.

use crate::fault::{Fault, fault, misheard};
use serde_json::json;

pub(super) const FAULTS: &[Fault] = &[
    misheard("TERM-01", &[], |h, m| {
        let capabilities = &h.params()["clientCapabilities"];
        if h.is("initialize")
            && capabilities["fs"]["readTextFile"] == true
            && capabilities["terminal"] == false
        {
            m["params"]["clientCapabilities"]["terminal"] = json!(true)
        }
    }),
    fault("TERM-10", &[], |h, s| {
        if h.is("session/cancel") {
            s.retain(|line| line["method"] != "terminal/release")
        }
    }),
    fault("TERM-10", &[], |h, s| {
        if h.answers == "terminal/create" && h.before.turns.is_empty() {
            s.clear()
        }
    }),
    misheard("TERM-16", &[], |h, m| {
        if h.answers == "terminal/wait_for_exit"
            && h.message["result"]["exitCode"]
                .as_i64()
                .is_some_and(|code| !(0..=0xffff_ffff).contains(&code))
        {
            m["result"]["exitCode"] = json!(0)
        }
    }),
    misheard("DEC-14", &[], |h, m| {
        if h.answers == "terminal/release" && h.message["result"].is_null() {
            *m = json!({"jsonrpc": "2.0", "id": h.message["id"], "error": {"code": -32603, "message": "no result"}})
        }
    }),
    misheard("DEC-15", &[], |h, m| {
        if h.answers == "terminal/wait_for_exit" && h.message["result"].is_null() {
            m["result"] = json!({"exitCode": 0})
        }
    }),
];
