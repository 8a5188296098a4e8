//! Faults in running commands.

use super::{Fault, Heard, change_answer, give, refuse};
use crate::correct::Said;
use serde_json::{Value, json};

const CREATE: &str = "terminal/create";
const OUTPUT: &str = "terminal/output";
const WAIT: &str = "terminal/wait_for_exit";
const KILL: &str = "terminal/kill";
/// A method that the correct client does not support.
const FORGET: &str = "terminal/forget";
const RELEASE: &str = "terminal/release";

pub(crate) const FAULTS: &[Fault] = &[
    Fault::says("TERM-02", &[], |h, s| {
        if h.is(CREATE) && h.params()["args"] == json!(["all five"]) {
            refuse(h, s, -32601);
        }
    }),
    // The client answers only after the command has ended.
    Fault::says("TERM-03", &["RPC-15"], |h, s| {
        if h.is(CREATE) && h.params()["command"] == "sleep" {
            s.clear();
        }
    }),
    Fault::hears("TERM-04", &[], |_, message| {
        if let Some(args) = message
            .pointer_mut("/params/args")
            .and_then(Value::as_array_mut)
            .filter(|args| args.len() > 3)
        {
            args.retain(|arg| arg != "");
        }
    }),
    // The client removes the end of the output.
    Fault::says("TERM-05", &[], |h, s| {
        change_answer(h, s, OUTPUT, |_, answer| {
            if answer["result"]["truncated"] == true {
                let length = answer["result"]["output"].as_str().unwrap().chars().count();
                answer["result"]["output"] =
                    "aé☃🙂bß€😀".chars().take(length).collect::<String>().into();
            }
        });
    }),
    Fault::says("TERM-06", &[], |h, s| {
        change_answer(h, s, OUTPUT, |_, answer| {
            if answer["result"]["output"] == "early" && answer["result"]["exitStatus"].is_null() {
                answer["result"]["exitStatus"] = json!({"exitCode": 0});
            }
        });
    }),
    Fault::says("TERM-07", &[], |h, s| {
        // The client answers only one of several waiting calls.
        let mut answered = 0;
        s.retain(|said| {
            let is_answer =
                matches!(said, Said::Line(answer) if h.answered(answer)["method"] == WAIT);
            answered += usize::from(is_answer);
            !is_answer || answered < 2
        });
    }),
    Fault::says("TERM-08", &[], |h, s| {
        change_answer(h, s, WAIT, |_, answer| {
            if answer["result"]["signal"] == "SIGTERM" {
                answer["result"]["exitCode"] = json!(143);
            }
        });
    }),
    Fault::says("TERM-09", &[], |h, s| {
        change_answer(h, s, OUTPUT, |_, answer| {
            if answer["result"]["output"] == "before" && !answer["result"]["exitStatus"].is_null() {
                answer["result"]["output"] = json!("");
            }
        });
    }),
    Fault::says("TERM-11", &[], |h, s| {
        if h.is(OUTPUT) && is_refused(s) && h.params()["sessionId"] == session(h) {
            give(h, s, json!({"output": "", "truncated": false}));
        }
    }),
    // A release removes the terminal but does not stop its command.
    Fault {
        says: |h, s| {
            if h.is(FORGET) {
                give(h, s, json!({}));
            }
        },
        ..Fault::hears("TERM-11", &["TERM-14"], |client, message| {
            let is_ours = client
                .session
                .as_ref()
                .is_some_and(|ours| message["params"]["sessionId"] == ours.id.as_str());
            if message["method"] == RELEASE && is_ours {
                message["method"] = json!(FORGET);
            }
        })
    },
    Fault::hears("TERM-13", &[], |_, message| {
        if message["method"] == CREATE && message["params"]["outputByteLimit"] == "9" {
            message["params"]["outputByteLimit"] = json!(9);
        }
    }),
    Fault::says("TERM-14", &[], |h, s| {
        if h.is(RELEASE) {
            s.retain(
                |said| !matches!(said, Said::Line(answer) if h.answered(answer)["method"] == WAIT),
            );
        }
    }),
    Fault::hears("TERM-15", &[], |client, message| {
        if message["method"] == KILL || message["method"] == OUTPUT || message["method"] == RELEASE
        {
            message["params"]["sessionId"] = json!(client.session.as_ref().unwrap().id);
        }
    }),
    Fault::says("TERM-17", &["RPC-15"], |h, s| {
        if h.is(CREATE) && h.params()["command"] == "attache-no-such-command" {
            s.clear();
        }
    }),
    Fault::says("CANCEL-14", &[], |h, s| {
        if h.is("$/cancel_request") {
            change_answer(h, s, WAIT, |_, answer| answer["error"]["code"] = json!(-32603));
        }
    }),
];

fn session(heard: &Heard<'_>) -> Value {
    json!(heard.client.session.as_ref().map(|session| &session.id))
}

fn is_refused(said: &[Said]) -> bool {
    matches!(said, [Said::Line(answer)] if answer.get("error").is_some())
}
