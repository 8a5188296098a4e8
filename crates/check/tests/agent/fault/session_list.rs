//! Faults in listing and deleting sessions.

use crate::fault::{Fault, change, fault, give, refuse};
use serde_json::json;

pub(super) const FAULTS: &[Fault] = &[
    fault("LIST-02", &["DEC-20"], |h, s| {
        if h.is("session/list") && s[0]["result"]["sessions"] == json!([]) {
            give(h, s, json!({}))
        }
    }),
    fault("LIST-03", &["ARCH-04"], |h, s| {
        if h.is("session/list")
            && h.params()["cwd"].is_string()
            && s[0]["result"]["sessions"] != json!([])
        {
            change(s, "sessions", |all| {
                all.as_array_mut()
                    .unwrap()
                    .push(json!({"sessionId": "z", "cwd": "/z", "archived": false}))
            })
        }
    }),
    fault("LIST-04", &["ARCH-05"], |h, s| {
        if h.is("session/list") && h.message.get("params").is_none() {
            give(h, s, json!({"sessions": [{"sessionId": "z", "cwd": "/z"}]}))
        }
    }),
    fault("LIST-05", &[], |h, s| {
        if h.is("session/list") && h.message["params"] == json!({}) {
            s[0]["result"]["nextCursor"] = json!("more")
        }
    }),
    fault("LIST-08", &[], |h, s| {
        if h.params()["cursor"] == "attache: no such cursor" {
            give(h, s, json!({"sessions": []}))
        }
    }),
    // The agent reports one title and lists another.
    fault("INFO-05", &[], |h, s| {
        let is_turn = s.iter().any(|line| line["result"]["stopReason"].is_string());
        if h.is("session/prompt") && is_turn && !h.prompts_with("attache: ") {
            let title = format!("Title {}", h.message["id"]);
            let payload = json!({"sessionUpdate": "session_info_update", "title": title});
            s.insert(0, crate::fault::update(&h.params()["sessionId"], payload))
        }
        if h.is("session/list") {
            change(s, "sessions", |all| {
                let untitled =
                    all.as_array_mut().unwrap().iter_mut().filter(|entry| entry["title"].is_null());
                untitled.for_each(|entry| entry["title"] = json!("Another title"))
            })
        }
    }),
    fault("LIST-11", &[], |h, s| {
        if h.is("session/list") {
            change(s, "sessions", |all| {
                all.as_array_mut()
                    .unwrap()
                    .iter_mut()
                    .for_each(|entry| entry["updatedAt"] = json!("yesterday"))
            })
        }
    }),
    fault("DEL-02", &["ARCH-05"], |h, s| {
        if let (Some(id), true) = (h.deleted, h.params()["cwd"].is_string() && h.is("session/list"))
        {
            give(h, s, json!({"sessions": [{"sessionId": id, "cwd": h.params()["cwd"]}]}))
        }
    }),
    fault("DEL-03", &[], |h, s| {
        if h.is("session/delete") && h.params()["sessionId"] == "attache-no-such-session" {
            refuse(h, s, -32002)
        }
    }),
];
