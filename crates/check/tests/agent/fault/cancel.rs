//! Faults in cancelling.

use crate::correct::error;
use crate::fault::{Fault, Heard, calls, fault, misdone, misheard, only, update};
use serde_json::{Value, json};

pub(super) const FAULTS: &[Fault] = &[
    fault("CANCEL-08", &[], |h, s| {
        if h.is("session/cancel") && h.params()["sessionId"] == "attache-no-such-session" {
            only(s, Value::Null)
        }
    }),
    fault("CANCEL-16", &[], |h, s| {
        if h.params()["requestId"] == 990_099 {
            only(s, Value::Null)
        }
    }),
    fault("CANCEL-02", &[], |h, s| {
        if h.is("session/cancel") {
            replies(s).for_each(|reply| *reply = error(&reply["id"], -32603))
        }
    }),
    misheard("CANCEL-02", &[], |h, m| {
        if h.is("session/cancel")
            && h.before.calls.iter().any(|(_, method)| *method == "fs/read_text_file")
        {
            *m = Value::Null
        }
    }),
    misdone("CANCEL-02", &[], |h, agent| {
        let loaded = h.params()["sessionId"].as_str().unwrap_or_default();
        if h.is("session/load") && h.open.iter().any(|open| open == loaded) {
            agent.deaf = Some(loaded.to_owned())
        }
    }),
    fault("CANCEL-03", &[], |h, s| {
        if h.is("session/cancel") && !h.before.turns.is_empty() {
            s.insert(0, json!({"waits": 8000}))
        }
    }),
    misdone("CANCEL-03", &[], |h, agent| {
        if h.is("initialize") {
            agent.commands.is_left = true
        }
    }),
    fault("CANCEL-04", &["PROMPT-08"], |h, s| {
        if h.is("session/cancel") && !h.before.turns.is_empty() {
            let content = json!({"type": "text", "text": "late"});
            s.push(update(
                &h.params()["sessionId"],
                json!({"sessionUpdate": "agent_message_chunk", "content": content}),
            ))
        }
    }),
    fault("CANCEL-09", &["RPC-15"], |h, s| answer_again(h, s, "end_turn")),
    fault("CANCEL-10", &["PROMPT-07"], |h, s| {
        if h.is("session/cancel") {
            let cancel = |session: &String| json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}});
            s.extend(h.before.turns.iter().map(|(session, _)| json!({"hears": cancel(session)})))
        }
    }),
    fault("CANCEL-11", &["RPC-15"], |h, s| answer_again(h, s, "cancelled")),
    fault("CANCEL-14", &["RPC-15"], |h, s| {
        if h.is("$/cancel_request") {
            s.extend(s.last().cloned())
        }
    }),
    fault("CANCEL-17", &["CANCEL-16", "RPC-15"], |h, s| {
        let id = &h.params()["requestId"];
        if h.is("$/cancel_request") && id.as_u64().is_some_and(|id| id < 900_000) && s.is_empty() {
            s.push(error(id, -32800))
        }
    }),
    fault("CANCEL-20", &[], |h, s| {
        if h.is("$/cancel_request") {
            replies(s).for_each(|reply| reply["result"]["stopReason"] = json!("end_turn"))
        }
    }),
    fault("CANCEL-22", &[], |_, s| {
        calls(s, "$/cancel_request")
            .for_each(|cancel| cancel["params"]["requestId"] = json!("none"))
    }),
    fault("CANCEL-23", &[], |h, s| {
        let is_late = h.answers == "session/request_permission" && h.before.turns.is_empty();
        if is_late && h.message["result"]["outcome"]["outcome"] == "selected" {
            let params = json!({"sessionId": h.open.last(), "path": "/late", "content": "late"});
            s.push(json!({"jsonrpc": "2.0", "id": "late", "method": "fs/write_text_file", "params": params}))
        }
    }),
    misheard("CANCEL-24", &[], |h, m| {
        let id = h.params()["requestId"].as_str().and_then(|id| id.parse::<i64>().ok());
        if let (true, Some(id)) = (h.is("$/cancel_request"), id) {
            m["params"]["requestId"] = json!(id)
        }
    }),
    fault("SESS-23", &[], |h, s| {
        if h.is("session/close") && !h.before.turns.is_empty() {
            replies(s)
                .filter(|reply| !reply["result"]["stopReason"].is_null())
                .for_each(|reply| reply["result"]["stopReason"] = json!("end_turn"))
        }
    }),
    fault("SESS-25", &[], |h, s| {
        if h.is("session/close") {
            s.reverse()
        }
    }),
];

fn replies(said: &mut [Value]) -> impl Iterator<Item = &mut Value> {
    said.iter_mut().filter(|line| line.get("result").is_some())
}

/// Answers a prompt a second time if its session is cancelled after its turn ended with this stop
/// reason.
fn answer_again(heard: Heard<'_>, said: &mut Vec<Value>, ended: &str) {
    let (session, request, reason) = &heard.before.last_turn;
    if heard.is("session/cancel")
        && heard.params()["sessionId"] == session.as_str()
        && *reason == ended
        && said.is_empty()
    {
        said.push(json!({"jsonrpc": "2.0", "id": request, "result": {"stopReason": "cancelled"}}))
    }
}
