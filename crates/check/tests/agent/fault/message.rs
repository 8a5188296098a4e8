//! Faults in the ids of messages and in the separation of sessions.

use crate::fault::turn::says;
use crate::fault::{Fault, calls, change, fault, update};
use serde_json::json;

pub(super) const FAULTS: &[Fault] = &[
    // Each chunk is a separate message.
    fault("MSG-02", &[], |h, s| {
        if h.prompts_with("attache one message") {
            for (number, line) in (0..).zip(s.iter_mut().filter(|line| says(line, ""))) {
                line["params"]["update"]["messageId"] = json!(format!("chunk {number}"))
            }
        }
    }),
    // All messages have the same id.
    fault("MSG-02", &[], |h, s| {
        if h.prompts_with("message in chunks") {
            change(s, "messageId", |id| *id = json!("the message"))
        }
    }),
    fault("MSG-05", &[], |h, s| {
        if h.is("session/load") {
            for line in s.iter_mut() {
                let update = &mut line["params"]["update"];
                if update["sessionUpdate"] == "user_message_chunk" {
                    update.as_object_mut().unwrap().remove("messageId");
                }
            }
        }
    }),
    // Updates of one session name another session.
    fault("SESS-06", &[], |h, s| {
        if h.prompts_with("attache-only-in-two") {
            let other = h.open[h.open.len() - 2].clone();
            for line in s.iter_mut().filter(|line| says(line, "")) {
                line["params"]["sessionId"] = json!(other)
            }
        }
    }),
    // Tool calls are reported in the session that was opened last.
    fault("SESS-06", &["TOOL-03"], |h, s| {
        if let Some(last) = h.open.last().filter(|_| h.prompts_with("attache-file-of-one")) {
            for line in
                s.iter_mut().filter(|line| line["params"]["update"]["toolCallId"].is_string())
            {
                line["params"]["sessionId"] = json!(last)
            }
        }
    }),
    // Permission requests name another session.
    fault("SESS-06", &[], |h, s| {
        let other = h.open.iter().find(|open| **open != h.params()["sessionId"]);
        if let Some(other) = other.filter(|_| h.is("session/prompt")) {
            for line in calls(s, "session/request_permission") {
                line["params"]["sessionId"] = json!(other)
            }
        }
    }),
    // Titles are reported in the session that was opened last.
    fault("SESS-06", &[], |h, s| {
        if let Some(last) = h.open.last().filter(|_| h.prompts_with("attache-title-of-one")) {
            let title =
                json!({"sessionUpdate": "session_info_update", "title": "attache-title-of-one"});
            s.insert(0, update(&json!(last), title))
        }
    }),
    // All text is sent in another session, from the first turn on.
    fault("SESS-06", &[], |h, s| {
        let other = h.open.iter().find(|open| **open != h.params()["sessionId"]);
        if let Some(other) = other.filter(|_| h.is("session/prompt")) {
            for line in s.iter_mut().filter(|line| says(line, "")) {
                line["params"]["sessionId"] = json!(other)
            }
        }
    }),
    // Text is sent in an unknown session.
    fault("SESS-06", &[], |h, s| {
        if h.prompts_with("attache-only-in-one") {
            for line in s.iter_mut().filter(|line| says(line, "")) {
                line["params"]["sessionId"] = json!("nowhere")
            }
        }
    }),
    // The model receives text of another session.
    fault("SESS-06", &[], |h, s| {
        if h.prompts_with("attache-only-in-one") {
            change(s, "content", |content| {
                if content["text"] == "recalled no" {
                    content["text"] = json!("recalled yes")
                }
            })
        }
    }),
];
