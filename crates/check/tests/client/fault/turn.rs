//! Faults in turns: prompts, messages, stop reasons and cancelling.

use super::{Fault, change};
use crate::correct::Said;
use serde_json::{Value, json};

pub(crate) const FAULTS: &[Fault] = &[
    Fault::says("PROMPT-13", &[], |h, s| {
        let prompt = s.iter().find_map(|said| match said {
            Said::Line(message) if message["method"] == "session/prompt" => Some(message.clone()),
            _ => None,
        });
        if let Some(mut prompt) = prompt.filter(|_| h.client.is_on("twice")) {
            prompt["id"] = json!(500);
            s.push(Said::Line(prompt));
        }
    }),
    // The client waits for a known stop reason.
    Fault::hears("PROMPT-16", &[], |_, message| {
        if message["result"]["stopReason"] == "check_pause" {
            *message = nothing();
        }
    }),
    Fault::hears("DEC-16", &[], |_, message| {
        if message["error"].get("data") == Some(&Value::Null) {
            *message = nothing();
        }
    }),
    Fault::hears("MSG-04", &[], |_, message| {
        if message["params"]["update"]["content"]["text"] == "a thought between" {
            *message = nothing();
        }
    }),
    Fault::says("MSG-08", &[], |h, s| {
        if h.params()["update"]["content"]["type"] == "check_video" {
            s.push(Said::Left(1));
        }
    }),
    Fault::says("DEC-08", &[], |h, s| {
        if h.params()["update"]["content"] == "text" {
            s.push(Said::Left(1));
        }
    }),
    Fault::says("CANCEL-01", &[], |_, s| {
        change(s, "session/cancel", |params| params["sessionId"] = json!("check-session-2"));
    }),
    Fault::hears("CANCEL-07", &[], |client, message| {
        let update = &message["params"]["update"];
        if client.is_cancelled && update["toolCallId"] == "late" && update["status"] == "failed" {
            *message = nothing();
        }
    }),
    Fault::says("CANCEL-19", &[], |h, s| {
        if h.client.is_cancelled && h.text.contains("It ends.") {
            s.push(Said::Left(1));
        }
    }),
    Fault::hears("CANCEL-24", &[], |_, message| {
        if message["params"]["requestId"] == 880_088 {
            message["params"]["requestId"] = json!("880088");
        }
    }),
];

/// Returns a notification that every agent ignores.
fn nothing() -> Value {
    json!({"jsonrpc": "2.0", "method": "attache/none"})
}
