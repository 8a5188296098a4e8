//! Faults: each breaks one rule in what the correct agent says. To add one is to add a row.

use crate::correct::error;
use serde_json::{Value, json};

/// What the agent heard.
#[derive(Clone, Copy)]
pub(crate) struct Heard<'l> {
    pub(crate) text: &'l str,
    /// The message, or null.
    pub(crate) message: &'l Value,
    /// Its method; [`END`] for the end of its input and [`HUGE`] for a line that is too long.
    pub(crate) method: &'l str,
    /// Whether `initialize` had succeeded before.
    pub(crate) is_initialized: bool,
    /// The session that was deleted last.
    pub(crate) deleted: Option<&'l str>,
}

pub(crate) const END: &str = "the end of input";
pub(crate) const HUGE: &str = "a huge line";

/// A change of what the agent says to a line. A string is written as it is, without quotes, and null ends the connection.
type Wrong = fn(Heard<'_>, &mut Vec<Value>);

pub(crate) struct Fault {
    pub(crate) rule: &'static str,
    /// Rules that are broken with it, as they say the same or more.
    pub(crate) companions: &'static [&'static str],
    pub(crate) wrong: Wrong,
}

const fn fault(rule: &'static str, companions: &'static [&'static str], wrong: Wrong) -> Fault {
    Fault { rule, companions, wrong }
}

impl Heard<'_> {
    fn params(&self) -> &Value {
        &self.message["params"]
    }

    fn is(&self, method: &str) -> bool {
        self.method == method
    }

    fn opens_before(&self) -> bool {
        self.is("session/new") && !self.is_initialized
    }

    /// Whether it is a `session/new` that lacks something or has it wrong.
    fn opens(&self, wrong: fn(&Value) -> bool) -> bool {
        self.is("session/new") && self.is_initialized && wrong(self.params())
    }
}

/// Says this and no more.
fn only(said: &mut Vec<Value>, line: Value) {
    *said = vec![line];
}

/// Refuses what was asked with this code.
fn refuse(heard: Heard<'_>, said: &mut Vec<Value>, code: i64) {
    only(said, error(&heard.message["id"], code));
}

/// Gives this result.
fn give(heard: Heard<'_>, said: &mut Vec<Value>, result: Value) {
    only(said, json!({"jsonrpc": "2.0", "id": heard.message["id"], "result": result}));
}

/// Changes every result or update that has this member.
fn change(said: &mut [Value], key: &str, change: fn(&mut Value)) {
    for line in said {
        for pointer in ["/result", "/params/update"] {
            if let Some(member) = line.pointer_mut(pointer).and_then(|payload| payload.get_mut(key)) {
                change(member);
            }
        }
    }
}

const RELATIVE: fn(&Value) -> bool = |params| params["cwd"].as_str().is_some_and(|cwd| !cwd.starts_with('/'));

pub(crate) const FAULTS: &[Fault] = &[
    fault("RPC-01", &[], |h, s| {
        if h.is("session/list") {
            s.push(json!("42"))
        }
    }),
    fault("RPC-03", &[], |h, s| {
        if h.is("initialize") {
            s.insert(0, json!("Welcome!"))
        }
    }),
    fault("RPC-08", &[], |h, s| {
        if h.text.ends_with('\r') {
            s.clear()
        }
    }),
    fault("RPC-09", &[], |h, s| {
        if h.is(END) {
            s.clear()
        }
    }),
    fault("RPC-10", &[], |h, s| {
        if h.is(HUGE) {
            s.clear()
        }
    }),
    fault("RPC-11", &["RPC-15"], |h, s| {
        if h.message["id"] == "770001" {
            s[0]["id"] = json!(770_001)
        }
    }),
    fault("RPC-12", &[], |h, s| {
        if h.message["id"] == 1.5 {
            only(s, Value::Null)
        }
    }),
    fault("RPC-14", &[], |h, s| {
        if h.is("session/delete") {
            s[0]["error"] = json!({"code": 1, "message": "x"})
        }
    }),
    fault("RPC-15", &[], |h, s| {
        if h.is("attache/count") {
            s.push(s[0].clone())
        }
    }),
    fault("RPC-16", &[], |h, s| {
        if h.is("foo/bar") && !s.is_empty() {
            refuse(h, s, -32603)
        }
    }),
    fault("RPC-17", &["RPC-11", "RPC-15"], |h, s| {
        if h.is("foo/bar") && s.is_empty() {
            only(s, error(&Value::Null, -32601))
        }
    }),
    fault("RPC-18", &[], |h, s| {
        if h.is("$/zzz") {
            only(s, Value::Null)
        }
    }),
    fault("RPC-19", &[], |h, s| {
        if h.text == "{bad" {
            s.clear()
        }
    }),
    fault("RPC-20", &[], |h, s| {
        if h.text == "42" {
            only(s, error(&Value::Null, -32700))
        }
    }),
    fault("RPC-21", &[], |h, s| {
        if h.text.starts_with("[{") {
            s.push(s[0].clone())
        }
    }),
    fault("RPC-22", &[], |h, s| {
        if h.message["id"] == 990_099 {
            only(s, error(&json!(990_099), -32600))
        }
    }),
    fault("RPC-23", &[], |h, s| {
        if h.opens(|params| params["cwd"] == 5) {
            refuse(h, s, -32603)
        }
    }),
    fault("RPC-24", &[], |h, s| {
        if h.is("session/cancel") && h.params()["sessionId"].is_null() {
            only(s, Value::Null)
        }
    }),
    fault("RPC-25", &[], |h, s| {
        if h.is("session/list") && h.message.get("params") == Some(&Value::Null) {
            refuse(h, s, -32602)
        }
    }),
    fault("RPC-26", &[], |h, s| {
        if h.opens(|params| params["zzz"] == 1) {
            refuse(h, s, -32602)
        }
    }),
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
        if h.params()["protocolVersion"] == 65_535 {
            change(s, "protocolVersion", |version| *version = json!(65_535))
        }
    }),
    fault("INIT-09", &[], |h, s| {
        if h.params()["protocolVersion"] == "1" {
            refuse(h, s, -32603)
        }
    }),
    fault("INIT-10", &["NOTE-01"], |h, s| {
        if h.is("session/new") {
            s.push(notice("x"))
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
    fault("AUTH-03", &[], |h, s| {
        if h.is("authenticate") && h.is_initialized {
            give(h, s, json!({}))
        }
    }),
    fault("SESS-01", &["CONF-02", "TOOL-02"], |h, s| {
        if h.is("session/new") {
            change(s, "sessionId", |id| *id = json!("s1"))
        }
    }),
    fault("SESS-02", &[], |h, s| {
        if h.opens(RELATIVE) {
            give(h, s, json!({"sessionId": "relative"}))
        }
    }),
    fault("SESS-10", &[], |h, s| {
        if h.opens(|params| params["mcpServers"][1]["name"] == "bad") {
            give(h, s, json!({"sessionId": "one server"}))
        }
    }),
    fault("SESS-11", &[], |h, s| {
        if h.opens(|params| params.get("mcpServers") == Some(&Value::Null)) {
            refuse(h, s, -32602)
        }
    }),
    fault("SESS-21", &[], |h, s| {
        if h.is("session/resume") {
            refuse(h, s, -32603)
        }
    }),
    fault("SESS-23", &["DEC-20"], |h, s| {
        if h.is("session/close") && s[0].get("result").is_some() {
            give(h, s, json!(5))
        }
    }),
    fault("SESS-24", &[], |h, s| {
        if h.is("session/close") && s[0].get("error").is_some() {
            s.clear()
        }
    }),
    fault("SESS-25", &[], |h, s| {
        if h.is("session/close") && s[0].get("result").is_some() {
            s.push(usage(&h.params()["sessionId"]))
        }
    }),
    fault("DIR-03", &[], |h, s| {
        if h.opens(|params| params["additionalDirectories"] == json!([""])) {
            give(h, s, json!({"sessionId": "no path"}))
        }
    }),
    fault("LIST-02", &["DEC-20"], |h, s| {
        if h.is("session/list") && s[0]["result"]["sessions"] == json!([]) {
            give(h, s, json!({}))
        }
    }),
    fault("LIST-03", &[], |h, s| {
        if h.is("session/list") && h.params()["cwd"] == "/p" {
            change(s, "sessions", |all| {
                all.as_array_mut().unwrap().push(json!({"sessionId": "z", "cwd": "/z"}))
            })
        }
    }),
    fault("LIST-04", &[], |h, s| {
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
    fault("DEL-02", &[], |h, s| {
        if let (Some(id), true) = (h.deleted, h.params()["cwd"] == "/p" && h.is("session/list")) {
            give(h, s, json!({"sessions": [{"sessionId": id, "cwd": "/p"}]}))
        }
    }),
    fault("DEL-03", &[], |h, s| {
        if h.is("session/delete") && h.params()["sessionId"] == "attache-no-such-session" {
            refuse(h, s, -32002)
        }
    }),
    fault("MODE-02", &[], |h, s| {
        if h.params()["modeId"] == "attache-no-such-mode" {
            give(h, s, json!({}))
        }
    }),
    fault("CONF-02", &[], |h, s| {
        if h.is("session/set_config_option") {
            change(s, "configOptions", |all| {
                all.as_array_mut().unwrap().pop();
            })
        }
    }),
    fault("CONF-05", &["DEC-20"], |_, s| {
        change(s, "configOptions", |all| {
            all[0].as_object_mut().unwrap().remove("currentValue");
        })
    }),
    fault("CONF-06", &[], |_, s| {
        change(s, "configOptions", |all| all[0]["options"] = json!([{"value": "other", "name": "Other"}]))
    }),
    fault("CONF-07", &["CONF-02"], |h, s| {
        if h.params()["value"] == "attache-no-such-value" {
            give(h, s, json!({"configOptions": []}))
        }
    }),
    fault("CONF-08", &["INIT-10"], |h, s| {
        if h.is("session/new") {
            change(s, "configOptions", |all| {
                if all[1].is_null() {
                    all.as_array_mut().unwrap().push(
                        json!({"id": "fast", "name": "Fast", "type": "boolean", "currentValue": false}),
                    );
                }
            })
        }
    }),
    fault("CONF-10", &[], |h, s| {
        if h.params()["type"] == "id" {
            refuse(h, s, -32602)
        }
    }),
    fault("CONF-11", &[], |h, s| {
        if h.params()["value"] == 3 {
            refuse(h, s, -32603)
        }
    }),
    fault("CONF-14", &[], |_, s| change(s, "configOptions", |all| all[0]["category"] = json!("flavour"))),
    fault("CONF-19", &[], |_, s| {
        change(s, "configOptions", |all| all[0]["options"][1]["value"] = json!("m1"))
    }),
    fault("PROMPT-04", &[], |h, s| {
        if h.params()["prompt"][0]["type"] == "audio" {
            give(h, s, json!({"stopReason": "end_turn"}))
        }
    }),
    fault("PROMPT-05", &[], |h, s| {
        if h.params()["prompt"][1]["type"] == "text" {
            give(h, s, json!({"stopReason": "end_turn"}))
        }
    }),
    fault("PROMPT-06", &["DEC-20"], |h, s| {
        if h.is("session/prompt") {
            change(s, "stopReason", |reason| *reason = Value::Null)
        }
    }),
    fault("PROMPT-17", &[], |h, s| {
        if h.params()["prompt"] == json!([]) {
            s.clear()
        }
    }),
    fault("CANCEL-08", &[], |h, s| {
        if h.is("session/cancel") && h.params()["sessionId"] == "attache-no-such-session" {
            only(s, Value::Null)
        }
    }),
    fault("CANCEL-16", &[], |h, s| {
        if h.is("$/cancel_request") {
            only(s, Value::Null)
        }
    }),
    fault("USE-02", &["DEC-20"], |h, s| {
        if h.is("session/prompt") {
            change(s, "used", |used| *used = json!(-1))
        }
    }),
    fault("USE-05", &[], |h, s| {
        if h.is("session/prompt") {
            change(s, "cost", |cost| cost["currency"] = json!("usd"))
        }
    }),
    fault("RPC-31", &[], |h, s| {
        if h.is("session/prompt") {
            change(s, "locations", |all| all[0]["path"] = json!("a"))
        }
    }),
    fault("RPC-32", &[], |h, s| {
        if h.is("session/prompt") {
            change(s, "locations", |all| all[0]["line"] = json!(0))
        }
    }),
    fault("TOOL-03", &[], |h, s| {
        if h.is("session/prompt") {
            change(s, "toolCallId", |id| *id = json!("t"));
            s.retain(|line| line["params"]["update"]["sessionUpdate"] != "tool_call")
        }
    }),
    fault("META-02", &[], |h, s| {
        if h.params()["_meta"] == 5 {
            refuse(h, s, -32602)
        }
    }),
    fault("META-03", &[], |h, s| {
        if h.is("initialize") {
            change(s, "agentCapabilities", |all| all["flavour"] = json!(1))
        }
    }),
    fault("EXT-01", &["RPC-16"], |h, s| {
        if h.is("session/prompt") {
            s.insert(0, json!({"jsonrpc": "2.0", "method": "attache/flavour", "params": {}}))
        }
    }),
    fault("EXT-02", &[], |h, s| {
        if h.is("_x/y") && !s.is_empty() {
            refuse(h, s, -32603)
        }
    }),
    fault("EXT-03", &[], |h, s| {
        if h.is("_x/y") && s.is_empty() {
            only(s, Value::Null)
        }
    }),
];

fn update(session: &Value, update: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session, "update": update}})
}

fn usage(session: &Value) -> Value {
    update(session, json!({"sessionUpdate": "usage_update", "used": 1, "size": 2}))
}

fn notice(title: &str) -> Value {
    update(&json!("s1"), json!({"sessionUpdate": "notice", "title": title, "severity": "info"}))
}
