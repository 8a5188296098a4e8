//! Faults in `initialize`.

use crate::fault::{Fault, change, fault, refuse, update};
use serde_json::json;

pub(super) const FAULTS: &[Fault] = &[
    fault("INIT-02", &[], |h, s| {
        if h.opens_before() {
            refuse(h, s, -32000)
        }
    }),
    fault("INIT-04", &["DEC-20"], |h, s| {
        if h.is("initialize") {
            change(s, "agentInfo", |info| *info = json!({"name": "x"}))
        }
    }),
    fault("INIT-05", &[], |h, s| {
        if h.is("initialize") && h.params()["protocolVersion"] == 1 {
            change(s, "protocolVersion", |version| *version = json!(0))
        }
    }),
    fault("INIT-06", &[], |h, s| {
        if h.params()["protocolVersion"] == 65_535 && h.params()["info"] != "x" {
            change(s, "protocolVersion", |version| *version = json!(65_535))
        }
    }),
    fault("INIT-09", &[], |h, s| {
        if h.params()["protocolVersion"] == "1" {
            refuse(h, s, -32603)
        }
    }),
    fault("INIT-10", &["INIT-16", "NOTE-01"], |h, s| {
        if h.is("session/new") && s[0].get("result").is_some() {
            let session = &s[0]["result"]["sessionId"];
            let notice = update(
                session,
                json!({"sessionUpdate": "notice", "title": "x", "severity": "info"}),
            );
            s.push(notice)
        }
    }),
    fault("INIT-11", &["INIT-14"], |h, s| {
        if h.opens(|_| true)
            && h.before.client["fs"]["readTextFile"] != h.before.client["fs"]["writeTextFile"]
        {
            refuse(h, s, -32603)
        }
    }),
    fault("INIT-14", &["DEC-12", "PROMPT-03"], |h, s| {
        if h.params()["prompt"][0]["type"] == "resource_link"
            && h.params()["prompt"][1]["type"] == "text"
        {
            refuse(h, s, -32602)
        }
    }),
    fault("INIT-12", &["INIT-06"], |h, s| {
        if !h.params()["clientCapabilities"]["future"].is_null() {
            refuse(h, s, -32602)
        }
    }),
    fault("INIT-13", &[], |h, s| {
        if h.params()["clientInfo"] == json!({"name": "x"}) {
            refuse(h, s, -32602)
        }
    }),
    fault("INIT-18", &[], |h, s| {
        if h.is("initialize") && h.is_initialized {
            refuse(h, s, -32600)
        }
    }),
    fault("INIT-19", &[], |h, s| {
        if h.params()["info"] == "x" {
            refuse(h, s, -32602)
        }
    }),
    fault("INIT-16", &["ELIC-19", "INIT-10"], |h, s| {
        if h.is("session/prompt")
            && h.open.iter().any(|open| h.params()["sessionId"] == open.as_str())
        {
            let params = json!({"elicitationId": "none"});
            s.insert(
                0,
                json!({"jsonrpc": "2.0", "method": "elicitation/complete", "params": params}),
            )
        }
    }),
    fault("INIT-21", &["EXT-04", "META-03"], |h, s| {
        if h.is("initialize") {
            change(s, "agentCapabilities", |all| all["sessionCapabilities"]["flavour"] = json!({}))
        }
    }),
    fault("EXT-04", &["INIT-21", "META-03"], |h, s| {
        if h.is("initialize") {
            change(s, "agentCapabilities", |all| all["flavour"] = all["_meta"].clone())
        }
    }),
    fault("INIT-17", &[], |h, s| {
        if h.is("initialize") {
            (LACKS_FORK.wrong)(h, s);
        }
    }),
];

/// An agent that does not fork sessions.
pub(super) const LACKS_FORK: Fault = fault("INIT-17", &[], |h, s| {
    if h.is("initialize") {
        change(s, "agentCapabilities", |all| {
            all["sessionCapabilities"].as_object_mut().unwrap().remove("fork");
        })
    }
    if h.is("session/fork") && h.is_initialized {
        refuse(h, s, -32601)
    }
});
