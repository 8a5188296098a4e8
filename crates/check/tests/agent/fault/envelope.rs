//! Faults in envelopes and ids. Each fault affects every line, but makes only one rule fail. One
//! agent has unusual ids that are correct.

use crate::fault::{Fault, Heard, NONE, fault};
use serde_json::{Value, json};

/// A condition that selects the agent's lines that have the fault.
type Which = fn(&Value) -> bool;

const REPLIES: Which = |line| line.get("method").is_none() && line.is_object();
const NOTIFICATIONS: Which = |line| line.get("method").is_some() && line.get("id").is_none();
const CALLS: Which = |line| line.get("method").is_some() && line.get("id").is_some();

fn without_version(said: &mut [Value], which: Which) {
    for line in said.iter_mut().filter(|line| which(line)) {
        line.as_object_mut().unwrap().remove("jsonrpc");
    }
}

/// Changes the ids of the agent's own calls, including the ids in its cancel requests.
fn rename(said: &mut [Value], name: fn(i64) -> Value) {
    for line in said.iter_mut() {
        let at = if line["method"] == "$/cancel_request" { "/params/requestId" } else { "/id" };
        if (CALLS(line) || at != "/id")
            && let Some(id) = line.pointer_mut(at)
            && let Some(number) = id.as_i64()
        {
            *id = name(number);
        }
    }
}

/// Whether a message is a reply to one of the agent's own calls.
fn is_reply(heard: Heard<'_>) -> bool {
    heard.method.is_empty() && heard.message.get("id").is_some()
}

pub(super) const FAULTS: &[Fault] = &[
    fault("RPC-01", &[], |_, s| without_version(s, REPLIES)),
    fault("RPC-01", &[], |_, s| without_version(s, NOTIFICATIONS)),
    fault("RPC-01", &[], |_, s| without_version(s, CALLS)),
    fault("RPC-01", &[], |_, s| without_version(s, Value::is_object)),
    // Every reply has its id as a string or as a fraction.
    fault("RPC-11", &[], |_, s| {
        for line in s.iter_mut().filter(|line| REPLIES(line)) {
            if let Some(id) = line["id"].as_i64() {
                line["id"] = json!(id.to_string())
            }
        }
    }),
    fault("RPC-11", &[], |_, s| {
        for line in s.iter_mut().filter(|line| REPLIES(line)) {
            if let Some(id) = line["id"].as_i64() {
                line["id"] = json!(id as f64)
            }
        }
    }),
    // Every update has an id, so it asks for a reply.
    fault("RPC-11", &[], |_, s| {
        for (number, line) in
            s.iter_mut().filter(|line| line["method"] == "session/update").enumerate()
        {
            line["id"] = json!(5_000_000 + number)
        }
    }),
    Fault {
        rule: "RPC-12",
        companions: &["DEC-20"],
        wrong: |_, s| rename(s, |id| json!(id as f64 + 0.5)),
        ..HALVES
    },
    // A null result is omitted.
    fault("RPC-14", &[], |h, s| {
        if h.is("session/set_mode") {
            for line in s.iter_mut().filter(|line| line["result"] == json!({})) {
                line.as_object_mut().unwrap().remove("result");
            }
        }
    }),
];

const HALVES: Fault = Fault {
    misheard: |h, m| {
        if let (true, Some(id)) = (is_reply(h), h.message["id"].as_f64()) {
            m["id"] = json!(id.floor() as i64)
        }
    },
    ..NONE
};

/// The agent's own calls have strings as ids.
pub(super) const TEXTS: Fault = Fault {
    rule: "RPC-12",
    wrong: |_, s| rename(s, |id| json!(format!("call {id}"))),
    misheard: |h, m| {
        let id = h.message["id"].as_str().and_then(|id| id.strip_prefix("call "));
        if let (true, Some(id)) = (is_reply(h), id.and_then(|id| id.parse::<i64>().ok())) {
            m["id"] = json!(id)
        }
    },
    ..NONE
};
