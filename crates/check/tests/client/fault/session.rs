//! Faults in opening, listing and continuing sessions.

use super::{Fault, change};
use crate::correct::Said;
use serde_json::{Value, json};

pub(crate) const FAULTS: &[Fault] = &[
    Fault::says("SESS-02", &["RPC-31"], |_, s| {
        change(s, "session/new", |params| params["cwd"] = json!("."))
    }),
    Fault::says("SESS-26", &[], |h, s| {
        if h.is("session/update") && h.client.session.is_none() {
            s.push(Said::Left(1));
        }
    }),
    Fault::says("SESS-27", &[], |h, s| {
        if h.params()["update"]["title"] == "Before the turn" {
            s.push(Said::Left(1));
        }
    }),
    Fault::hears("SESS-28", &[], |client, message| {
        if message["params"]["sessionId"] == "check-no-such-session" {
            message["params"]["sessionId"] = json!(client.session.as_ref().unwrap().id);
        }
    }),
    Fault::says("DIR-02", &["RPC-31"], |_, s| {
        change(s, "session/new", |params| {
            if params["additionalDirectories"] == json!(["/usr"]) {
                params["additionalDirectories"] = json!(["usr"]);
            }
        });
    }),
    Fault::hears("STAT-03", &["PROMPT-01"], |_, message| {
        if message["result"]["status"] == "check_odd" {
            message["result"]["status"] = json!("open");
        }
    }),
    Fault::hears("DEC-14", &[], |_, message| {
        if message.get("result") == Some(&Value::Null) {
            *message = json!({"jsonrpc": "2.0", "id": message["id"], "error": {"code": 1, "message": "no result"}});
        }
    }),
    SPACE_AS_ID,
    Fault::says("PROMPT-01", &[], |_, s| {
        change(s, "session/prompt", |params| {
            if params["sessionId"] == "check-session-that-was-opened" {
                params["sessionId"] = json!("check-session-1");
            }
        });
    }),
    Fault::says("LIST-06", &[], |h, s| {
        let page = &h.message["result"];
        if page["sessions"][0].is_object() && page.get("nextCursor").is_none() {
            s.insert(
                0,
                Said::Line(
                    json!({"jsonrpc": "2.0", "id": 77, "method": "session/list", "params": {}}),
                ),
            );
        }
    }),
    Fault::says("LIST-07", &[], |_, s| {
        change(s, "session/list", |params| {
            if let Some(cursor) = params["cursor"].as_str() {
                params["cursor"] = json!(cursor.trim());
            }
        });
    }),
    Fault::hears("LIST-13", &[], |_, message| {
        if let Some(all) = message.pointer_mut("/result/sessions").and_then(Value::as_array_mut)
            && all.iter().any(|session| !session["sessionId"].is_string())
        {
            all.clear();
        }
    }),
];

/// Takes a space as the id of a session for an empty id.
pub(crate) const SPACE_AS_ID: Fault = Fault::hears("DEC-22", &["PROMPT-01"], |_, message| {
    if message["result"]["sessionId"] == " " {
        message["result"]["sessionId"] = json!("");
    }
});
