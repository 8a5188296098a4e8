//! Faults in the methods for sessions that need not be open: archive, status and title.

use crate::fault::{Fault, change, fault, give, misdone, misheard, refuse};
use serde_json::{Value, json};

pub(super) const FAULTS: &[Fault] = &[
    fault("ARCH-01", &["DEC-19", "INIT-17"], |h, s| {
        if h.is("initialize") {
            change(s, "agentCapabilities", |all| all["sessionCapabilities"]["list"] = Value::Null)
        }
    }),
    misdone("ARCH-02", &["ARCH-06"], |h, agent| {
        if h.is("session/archive") {
            agent.open_wrongly(&h.params()["sessionId"])
        }
    }),
    fault("ARCH-03", &[], |h, s| {
        if h.is("session/unarchive") && h.params()["sessionId"] == "attache-no-such-session" {
            give(h, s, json!({}))
        }
    }),
    misheard("ARCH-04", &[], |h, m| {
        if h.is("session/list") && m["params"]["archived"] == "only" {
            m["params"]["archived"] = json!("include")
        }
    }),
    fault("ARCH-05", &[], |h, s| {
        if h.is("session/list") {
            change(s, "sessions", |all| {
                for entry in all.as_array_mut().unwrap() {
                    if entry["archived"] == false {
                        entry.as_object_mut().unwrap().remove("archived");
                    }
                }
            })
        }
    }),
    misdone("ARCH-06", &[], |h, agent| {
        if h.is("session/unarchive") {
            agent.open_wrongly(&h.params()["sessionId"])
        }
    }),
    misdone("STAT-01", &["SESS-25"], |h, agent| {
        if h.is("session/status") {
            agent.open_wrongly(&h.params()["sessionId"])
        }
    }),
    fault("STAT-02", &[], |h, s| {
        if h.is("session/status") {
            change(s, "status", |status| *status = json!("saved"))
        }
    }),
    misdone("TITLE-01", &["TITLE-03"], |h, agent| {
        if h.is("session/set_title") {
            agent.keep_wrongly(&h.params()["sessionId"], |session| session.title = None)
        }
    }),
    fault("TITLE-02", &[], |h, s| {
        if h.is("session/set_title") && h.params()["title"] == "  " {
            give(h, s, json!({"title": "Untitled"}))
        }
    }),
    misdone("LIST-09", &["SESS-25", "STAT-01", "STAT-02"], |h, agent| {
        if h.is("session/list") {
            agent.open_all_wrongly()
        }
    }),
    fault("DEL-04", &["RPC-15"], |h, s| {
        if h.is("session/load") && h.deleted.is_some_and(|id| h.params()["sessionId"] == id) {
            s.clear()
        }
    }),
    fault("SYSP-02", &[], |h, s| {
        if h.opens(|params| params["systemPrompt"]["content"][0]["type"] == "image") {
            give(h, s, json!({"sessionId": "an image"}))
        }
    }),
    fault("SYSP-03", &[], |h, s| {
        if h.opens(|params| params["systemPrompt"]["mode"] == "_attache_prepend") {
            give(h, s, json!({"sessionId": "a mode"}))
        } else if h.opens(|params| params["systemPrompt"]["mode"] == "append") {
            refuse(h, s, -32602)
        }
    }),
];
