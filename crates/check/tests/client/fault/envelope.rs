//! Faults in lines, ids, and text that is not a message.

use super::{Fault, HUGE, only, refuse};
use crate::correct::Said;
use serde_json::{Value, json};

pub(crate) const FAULTS: &[Fault] = &[
    Fault::says("RPC-02", &["RPC-01", "RPC-04"], |_, s| {
        for said in s.iter_mut() {
            if let Said::Line(message) = said
                && message["method"] == "session/prompt"
            {
                *said = Said::Raw(message.to_string().replace("\\n", "\n"));
            }
        }
    }),
    Fault::says("RPC-05", &[], |h, s| {
        if h.message.is_null() && h.client.task.value("stderr").is_some() {
            s.clear();
        }
    }),
    Fault::says("RPC-08", &[], |h, s| {
        if h.text.ends_with('\r') {
            s.clear();
        }
    }),
    Fault::says("RPC-09", &[], |h, s| {
        if h.is_over && h.text.is_empty() {
            s.clear();
        }
    }),
    // The client waits forever for the reply to `initialize`.
    Fault::says("RPC-09", &[], |h, s| {
        if h.is_over && h.client.agent.is_null() {
            s.clear();
        }
    }),
    Fault::says("RPC-10", &[], |h, s| {
        if h.text == HUGE {
            s.clear();
        }
    }),
    Fault::says("RPC-11", &[], |h, s| {
        if h.message["id"] == "770001" {
            let mut reply = refused(h.message, -32601);
            reply["id"] = json!(770_001);
            only(s, reply);
        }
    }),
    Fault::says("RPC-01", &[], |_, s| without_version(s, REPLIES)),
    Fault::says("RPC-01", &[], |_, s| without_version(s, NOTIFICATIONS)),
    Fault::says("RPC-01", &[], |_, s| without_version(s, CALLS)),
    // Every reply has its id as a string or as a fraction.
    Fault::says("RPC-11", &[], |_, s| {
        for line in lines(s, REPLIES) {
            if let Some(id) = line["id"].as_i64() {
                line["id"] = json!(id.to_string())
            }
        }
    }),
    Fault::says("RPC-11", &[], |_, s| {
        for line in lines(s, REPLIES) {
            if let Some(id) = line["id"].as_i64() {
                line["id"] = json!(id as f64)
            }
        }
    }),
    // Every cancel has an id, so it asks for a reply.
    Fault::says("RPC-11", &[], |_, s| {
        lines(s, |line| line["method"] == "session/cancel")
            .for_each(|line| line["id"] = json!("cancel"));
    }),
    Fault {
        rule: "RPC-12",
        hears: |_, m| take_back(m, |id| id.as_f64().map(|id| id.floor() as i64)),
        says: |_, s| {
            for line in lines(s, CALLS) {
                if let Some(id) = line["id"].as_i64() {
                    line["id"] = json!(id as f64 + 0.5)
                }
            }
        },
        ..Fault::NONE
    },
    Fault::says("RPC-12", &[], |h, s| {
        if h.message["id"] == 1.5 {
            s.push(Said::Left(1));
        }
    }),
    Fault::says("RPC-13", &["RPC-15"], |h, s| {
        let id = h.message["id"].as_i64();
        if h.is("attache/ids") && id.is_some_and(|id| h.client.asked.contains_key(&id)) {
            s.clear();
        }
    }),
    // The judge finds calls without a reply when the connection ends.
    Fault::says("RPC-15", &["RPC-16"], |h, s| {
        if h.is("foo/bar") {
            s.clear();
        }
    }),
    Fault::says("RPC-16", &[], |h, s| {
        if h.is("foo/bar") && !s.is_empty() {
            refuse(h, s, -32603);
        }
    }),
    Fault::says("RPC-17", &["RPC-11", "RPC-15"], |h, s| {
        if h.is("foo/bar") && s.is_empty() {
            s.push(Said::Line(refused(&Value::Null, -32601)));
        }
    }),
    Fault::says("RPC-18", &[], |h, s| {
        if h.is("$/zzz") {
            s.push(Said::Left(1));
        }
    }),
    Fault::says("RPC-19", &[], |h, s| {
        if h.text == "{bad" {
            s.push(Said::Left(1));
        }
    }),
    Fault::says("RPC-20", &[], |h, s| {
        if h.text == "42" {
            only(s, refused(&Value::Null, -32700));
        }
    }),
    Fault::says("RPC-21", &[], |h, s| {
        if let Some(entry) = h.message.get(0) {
            s.push(Said::Line(refused(entry, -32601)));
        }
    }),
    Fault::says("RPC-22", &[], |h, s| {
        if h.message["id"] == 990_099 {
            s.push(Said::Line(refused(h.message, -32600)));
        }
    }),
    Fault::says("RPC-23", &[], |h, s| {
        if h.is("session/request_permission") && *h.params() == json!({}) {
            refuse(h, s, -32603);
        }
    }),
    Fault::says("RPC-24", &[], |h, s| {
        if h.is("session/update") && *h.params() == json!({}) {
            s.push(Said::Left(1));
        }
    }),
    Fault::hears("RPC-26", &[], |_, message| {
        if message["params"]["update"].get("zzz").is_some() {
            *message = json!({"jsonrpc": "2.0", "method": "attache/none"});
        }
    }),
    Fault::says("RPC-28", &["RPC-15"], |h, s| {
        if h.is("attache/many") {
            s.clear();
        }
    }),
    Fault::hears("RPC-33", &[], |_, message| {
        if message["error"]["code"] == 7 {
            message["error"]["message"] = json!("an unknown error");
        }
    }),
    Fault::says("CANCEL-16", &[], |h, s| {
        if h.is("$/cancel_request") && h.params()["requestId"] == 990_099 {
            s.push(Said::Left(1));
        }
    }),
    Fault::says("EXT-02", &[], |h, s| {
        if h.is("_x/y") && !s.is_empty() {
            refuse(h, s, -32603);
        }
    }),
    Fault::says("EXT-03", &[], |h, s| {
        if h.is("_x/y") && s.is_empty() {
            s.push(Said::Left(1));
        }
    }),
];

/// A condition that selects the client's lines that have the fault.
type Which = fn(&Value) -> bool;

const REPLIES: Which = |line| line.get("method").is_none();
const NOTIFICATIONS: Which = |line| line.get("method").is_some() && line.get("id").is_none();
const CALLS: Which = |line| line.get("method").is_some() && line.get("id").is_some();

/// Returns the lines that meet the condition.
fn lines(said: &mut [Said], which: Which) -> impl Iterator<Item = &mut Value> {
    let lines = said.iter_mut().filter_map(|said| match said {
        Said::Line(line) => Some(line),
        _ => None,
    });
    lines.filter(move |line| which(line))
}

fn without_version(said: &mut [Said], which: Which) {
    lines(said, which).for_each(|line| drop(line.as_object_mut().unwrap().remove("jsonrpc")));
}

/// Restores the id of a call in its reply.
fn take_back(message: &mut Value, number: fn(&Value) -> Option<i64>) {
    if message.get("method").is_none()
        && let Some(number) = number(&message["id"])
    {
        message["id"] = json!(number);
    }
}

/// A client whose calls have strings as ids, which is correct.
pub(crate) const TEXTS: Fault = Fault {
    rule: "RPC-12",
    hears: |_, m| take_back(m, |id| id.as_str()?.strip_prefix("call ")?.parse().ok()),
    says: |_, s| {
        lines(s, CALLS).for_each(|line| line["id"] = json!(format!("call {}", line["id"])))
    },
    ..Fault::NONE
};

/// A client that ignores every `$/cancel_request`, which is correct (CANCEL-13).
pub(crate) const CANCELS_NOTHING: Fault = Fault::hears("CANCEL-13", &[], |_, message| {
    if message["method"] == "$/cancel_request" {
        message["method"] = json!("$/attache/none")
    }
});

/// Returns an error reply to this message.
fn refused(message: &Value, code: i64) -> Value {
    json!({"jsonrpc": "2.0", "id": message["id"], "error": {"code": code, "message": "no"}})
}
