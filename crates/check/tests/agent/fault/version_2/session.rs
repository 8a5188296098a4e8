//! Faults in the handshake, in logging in, and in opening and closing sessions.

use crate::fault::{
    Fault, Heard, change, fault, misdone, misheard, refuse, update, updates, usage,
};
use serde_json::{Value, json};

pub(super) const FAULTS: &[Fault] = &[
    fault("V2-02", &[], |h, s| {
        if requests(h, 3) {
            change(s, "protocolVersion", |version| *version = json!(4))
        }
    }),
    fault("V2-03", &[], |h, s| {
        if h.is("initialize") && h.is_initialized {
            change(s, "protocolVersion", |version| *version = json!(1))
        }
    }),
    misheard("V2-05", &[], |h, m| {
        if requests(h, 0) {
            m["params"]["protocolVersion"] = json!(2)
        }
    }),
    fault("V2-05", &[], |h, s| {
        if requests(h, 1) {
            refuse(h, s, -32602)
        }
    }),
    fault("V2-09", &[], |h, s| {
        if h.is("auth/login") && s[0].get("error").is_some() {
            refuse(h, s, -32601)
        }
    }),
    fault("V2-09", &[], |h, s| {
        if h.is("auth/logout") {
            refuse(h, s, -32601)
        }
    }),
    fault("V2-10", &[], |_, s| {
        let shell = json!({"methodId": "shell", "name": "Log in here", "type": "terminal"});
        methods(s, |methods| methods.push(shell.clone()))
    }),
    fault("V2-11", &[], |h, s| {
        if h.is("session/prompt") && h.before.client["elicitation"].is_null() {
            let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
            let params = json!({"sessionId": h.params()["sessionId"], "mode": "form", "message": "?", "requestedSchema": schema});
            s.insert(2, json!({"jsonrpc": "2.0", "id": "unasked", "method": "elicitation/create", "params": params}))
        }
    }),
    misheard("V2-16", &[], |h, m| {
        if h.params()["mcpServers"][0]["type"] == "attache-unknown" {
            m["params"]["mcpServers"] = json!([])
        }
    }),
    misheard("V2-17", &[], |h, m| {
        if h.is("session/resume") && h.params()["replayFrom"]["type"] != "start" {
            m["params"]["replayFrom"] = Value::Null
        }
    }),
    fault("V2-20", &[], |h, s| {
        if h.is("session/fork") && s[0].get("result").is_some() {
            s[0]["result"]["sessionId"] = h.params()["sessionId"].clone()
        }
    }),
    fault("V2-22", &[], |h, s| {
        if h.is("session/new") && s[0].get("result").is_some() {
            let content = json!({"type": "text", "text": "x"});
            s.push(update(&json!("no session"), json!({"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": content})))
        }
    }),
    fault("V2-23", &[], |h, s| {
        let is_open = h.open.iter().any(|open| h.params()["sessionId"] == open.as_str());
        if h.is("session/close") && !is_open {
            refuse(h, s, -32002)
        }
    }),
    fault("V2-24", &[], |h, s| {
        if h.is("session/close") {
            s.push(usage(&h.params()["sessionId"]))
        }
    }),
    fault("V2-25", &[], |h, s| {
        if h.is("session/resume") {
            s.retain(|line| line["params"]["update"]["sessionUpdate"] != "state_update")
        }
    }),
    misheard("V2-26", &[], |h, m| {
        if h.is("session/resume") && h.params()["replayFrom"].is_null() {
            m["params"]["replayFrom"] = json!({"type": "start"})
        }
    }),
    fault("V2-36", &[], |h, s| {
        if h.is("session/close") {
            s.retain(|line| line["params"]["update"]["state"] != "idle")
        }
    }),
    fault("V2-67", &["RPC-25"], |h, s| {
        if h.is("session/list") {
            refuse(h, s, -32601)
        }
    }),
    fault("V2-67", &[], |h, s| {
        if h.is("session/new") && h.is_initialized {
            refuse(h, s, -32601)
        }
    }),
    misdone("V2-73", &[], |_, agent| agent.restores_servers = true),
    misheard("V2-74", &[], |h, m| {
        if h.is("session/resume") && h.params()["replayFrom"]["type"] == "start" {
            m["params"]["replayFrom"] = Value::Null
        }
    }),
    fault("V2-83", &[], |h, s| {
        if h.is("session/new") && s[0].get("result").is_some() {
            let id = s[0]["result"]["sessionId"].clone();
            s.push(update(
                &id,
                json!({"sessionUpdate": "session_info_update", "updatedAt": "yesterday"}),
            ))
        }
    }),
    fault("V2-84", &[], |_, s| methods(s, |methods| methods.extend(methods.first().cloned()))),
    fault("V2-85", &[], |h, s| {
        if requests(h, 0) {
            refuse(h, s, -32022)
        }
    }),
    fault("V2-85", &[], |h, s| {
        if h.is("session/prompt") && s[0]["error"]["code"] == -32002 {
            refuse(h, s, -32002)
        }
    }),
    fault("V2-82", &[], |h, s| {
        if h.is("session/new") && s[0].get("result").is_some() {
            let id = s[0]["result"]["sessionId"].clone();
            s.push(update(&id, json!({"sessionUpdate": "notice", "severity": "info", "title": ""})))
        }
    }),
    fault("V2-60", &[], |_, s| {
        for update in updates(s, "available_commands_update") {
            update["availableCommands"][0]["name"] = json!("/help")
        }
    }),
    fault("V2-70", &["V2-11"], |h, s| {
        if h.is("session/new") && s[0].get("result").is_some() {
            let params = json!({"elicitationId": "none"});
            s.push(json!({"jsonrpc": "2.0", "method": "elicitation/complete", "params": params}))
        }
    }),
    misheard("V2-18", &[], |h, m| {
        if h.is("session/set_config_option") && h.params()["type"] == "attache-unknown" {
            m["params"]["type"] = json!("id")
        }
    }),
];

/// Whether this is an `initialize` with this version.
fn requests(heard: Heard<'_>, version: u64) -> bool {
    heard.is("initialize") && heard.params()["protocolVersion"] == version
}

/// Changes the login methods in a result of version 2.
fn methods(said: &mut [Value], change: impl Fn(&mut Vec<Value>)) {
    for line in said.iter_mut().filter(|line| line["result"]["protocolVersion"] == 2) {
        if let Some(methods) = line["result"]["authMethods"].as_array_mut() {
            change(methods)
        }
    }
}
