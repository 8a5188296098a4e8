//! Faults in opening and closing sessions.

use crate::fault::{Fault, Heard, calls, fault, give, misheard, refuse, usage};
use serde_json::{Value, json};

const RELATIVE: fn(&Value) -> bool =
    |params| params["cwd"].as_str().is_some_and(|cwd| !cwd.starts_with('/'));

pub(super) const FAULTS: &[Fault] = &[
    fault("SESS-01", &["DIR-09", "FORK-03", "SESS-03", "SESS-07", "SESS-08"], |h, s| {
        let id = s.first_mut().and_then(|reply| reply.pointer_mut("/result/sessionId"));
        if let ([_, _, .., last], Some(id)) = (h.open, id) {
            *id = json!(last)
        }
    }),
    // Two faults: the agent opens no session, because it does not know the method or does not
    // answer.
    fault("SESS-01", &[], |h, s| {
        if h.is("session/new") && h.is_initialized {
            refuse(h, s, -32601)
        }
    }),
    misheard("SESS-01", &["RPC-15"], |h, m| {
        if h.is("session/new") && h.is_initialized {
            *m = Value::Null
        }
    }),
    fault("SESS-02", &[], |h, s| {
        if h.opens(RELATIVE) {
            give(h, s, json!({"sessionId": "relative"}))
        }
    }),
    fault("SESS-10", &[], |h, s| {
        if h.opens(|params| params["mcpServers"][1]["name"] == "bad") {
            give(h, s, json!({"sessionId": "one server"}))
        }
    }),
    fault("SESS-11", &["DEC-05"], |h, s| {
        if h.opens(|params| params.get("mcpServers") == Some(&Value::Null)) {
            refuse(h, s, -32602)
        }
    }),
    fault("SESS-21", &["DEC-05", "SESS-17", "SESS-19", "SESS-20"], |h, s| {
        if h.is("session/resume") {
            refuse(h, s, -32603)
        }
    }),
    fault("SESS-23", &["DEC-20", "SESS-25"], |h, s| {
        if h.is("session/close") && s[0].get("result").is_some() {
            give(h, s, json!(5))
        }
    }),
    fault("SESS-24", &["RPC-15"], |h, s| {
        if h.is("session/close") && s[0].get("error").is_some() {
            s.clear()
        }
    }),
    fault("SESS-25", &[], |h, s| {
        if h.is("session/close") && s[0].get("result").is_some() {
            s.push(usage(&h.params()["sessionId"]))
        }
    }),
    misheard("SESS-03", &[], |h, m| {
        if let (true, Some(parent)) = (h.is("session/new"), parent(h, "/attache-below")) {
            m["params"]["cwd"] = json!(parent)
        }
    }),
    // Every session uses the folder of the first one.
    misheard("SESS-03", &[], |h, m| {
        if let (true, Some(parent)) = (h.is("session/new"), parent(h, "/attache-two")) {
            m["params"]["cwd"] = json!(format!("{parent}/attache-one"))
        }
    }),
    // Commands run in the folder where the agent was started.
    fault("SESS-03", &[], |_, s| {
        for call in calls(s, "terminal/create") {
            let cwd = call["params"]["cwd"].as_str().unwrap_or_default().to_owned();
            if let Some(parent) = cwd.strip_suffix("/attache-one") {
                call["params"]["cwd"] = json!(parent)
            }
        }
    }),
    misheard("SESS-05", &[], |h, m| {
        if let (true, Some(parent)) = (h.is("session/new"), parent(h, "/attache-inside")) {
            m["params"]["additionalDirectories"] = json!([parent])
        }
    }),
];

/// Returns the path of the session's folder without this suffix, if it ends with the suffix.
fn parent<'h>(heard: Heard<'h>, name: &str) -> Option<&'h str> {
    heard.message["params"]["cwd"].as_str()?.strip_suffix(name)
}
