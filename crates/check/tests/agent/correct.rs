//! An agent in memory that keeps every rule that is probed: a function from a line to the lines that answer it.

use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The longest line that it reads, in bytes.
pub(crate) const LIMIT: usize = 32 * 1024 * 1024;

#[derive(Default)]
pub(crate) struct Correct {
    client: Option<Value>,
    sessions: BTreeMap<String, Session>,
    opened: usize,
    /// The session that was deleted last.
    pub(crate) deleted: Option<String>,
}

struct Session {
    cwd: String,
    is_listed: bool,
}

/// An error: its code, and its data.
type Refusal = (i64, Value);

impl Correct {
    /// Whether `initialize` has succeeded.
    pub(crate) fn is_initialized(&self) -> bool {
        self.client.is_some()
    }

    /// What it says to a line.
    pub(crate) fn line(&mut self, line: &str) -> Vec<Value> {
        if line.trim().is_empty() {
            return Vec::new();
        }
        let Ok(message) = serde_json::from_str::<Value>(line) else {
            return vec![error(&Value::Null, -32700)];
        };
        let (id, method) = (&message["id"], message["method"].as_str());
        let is_valid_id = id.is_null() || id.is_string() || id.is_i64();
        let Some(method) = method.filter(|_| message["jsonrpc"] == "2.0" && is_valid_id) else {
            let is_reply = message.get("id").is_some() && method.is_none();
            return if is_reply { Vec::new() } else { vec![error(&Value::Null, -32600)] };
        };
        if message.get("id").is_none() {
            return Vec::new();
        }
        let mut said = Vec::new();
        let reply = match self.call(method, &message["params"], &mut said) {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err((code, data)) => {
                let mut reply = error(id, code);
                reply["error"]["data"] = data;
                reply
            }
        };
        said.push(reply);
        said
    }

    fn call(&mut self, method: &str, params: &Value, said: &mut Vec<Value>) -> Result<Value, Refusal> {
        if !self.is_initialized() && method != "initialize" {
            return Err((-32600, Value::Null));
        }
        match method {
            "initialize" => self.initialize(params),
            "authenticate" => Err(invalid()),
            "session/new" => self.new_session(params),
            "session/list" => self.list(params),
            "session/load" | "session/resume" => {
                self.known(params)?;
                Ok(self.state())
            }
            "session/close" => self.known(params).map(|_| json!({})),
            "session/delete" => {
                let id = params["sessionId"].as_str().ok_or_else(invalid)?;
                self.sessions.remove(id);
                self.deleted = Some(id.to_owned());
                Ok(json!({}))
            }
            "session/set_mode" => {
                self.known(params)?;
                if params["modeId"] == "ask" { Ok(json!({})) } else { Err(invalid()) }
            }
            "session/set_config_option" => {
                self.known(params)?;
                let is_right = params["configId"] == "model" && params["value"] == "m1";
                if is_right { Ok(json!({"configOptions": self.options()})) } else { Err(invalid()) }
            }
            "session/prompt" => self.prompt(params, said),
            _ => Err((-32601, Value::Null)),
        }
    }

    fn initialize(&mut self, params: &Value) -> Result<Value, Refusal> {
        params["protocolVersion"].as_u64().filter(|version| *version <= 65_535).ok_or_else(invalid)?;
        self.client = Some(params["clientCapabilities"].clone());
        Ok(json!({
            "protocolVersion": 1, "agentInfo": {"name": "correct", "version": "1"}, "authMethods": [{"id": "login", "name": "Log in"}],
            "agentCapabilities": {
                "loadSession": true,
                "promptCapabilities": {},
                "sessionCapabilities":
                    {"list": {}, "resume": {}, "close": {}, "delete": {}, "additionalDirectories": {}},
            },
        }))
    }

    fn new_session(&mut self, params: &Value) -> Result<Value, Refusal> {
        let cwd = params["cwd"].as_str().filter(|cwd| cwd.starts_with('/')).ok_or_else(invalid)?;
        let servers = params.get("mcpServers").ok_or_else(invalid)?;
        let servers = if servers.is_null() { &[][..] } else { servers.as_array().ok_or_else(invalid)? };
        if servers.iter().any(|server| !server["command"].is_string() || !server["args"].is_array()) {
            return Err(invalid());
        }
        if let Some(more) = params.get("additionalDirectories") {
            let is_path = |path: &Value| path.as_str().is_some_and(|path| path.starts_with('/'));
            more.as_array().filter(|paths| paths.iter().all(is_path)).ok_or_else(invalid)?;
        }
        self.opened += 1;
        let id = format!("s{}", self.opened);
        self.sessions.insert(id.clone(), Session { cwd: cwd.to_owned(), is_listed: false });
        let mut result = self.state();
        result["sessionId"] = json!(id);
        Ok(result)
    }

    /// What a session tells when it opens.
    fn state(&self) -> Value {
        let modes = json!([{"id": "ask", "name": "Ask"}]);
        json!({"modes": {"currentModeId": "ask", "availableModes": modes}, "configOptions": self.options()})
    }

    fn options(&self) -> Value {
        let values = json!([{"value": "m1", "name": "M1"}, {"value": "m2", "name": "M2"}]);
        let model = json!({"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": "m1", "options": values});
        let mut options = vec![model];
        if self.client_has("/session/configOptions/boolean") {
            options.push(json!({"id": "fast", "name": "Fast", "type": "boolean", "currentValue": false}));
        }
        json!(options)
    }

    fn client_has(&self, pointer: &str) -> bool {
        self.client.as_ref().and_then(|client| client.pointer(pointer)).is_some_and(Value::is_object)
    }

    fn list(&self, params: &Value) -> Result<Value, Refusal> {
        if !params["cursor"].is_null() {
            return Err(invalid());
        }
        let listed = self.sessions.iter().filter(|(_, session)| {
            session.is_listed && (params["cwd"].is_null() || params["cwd"] == session.cwd.as_str())
        });
        let entry = |(id, session): (&String, &Session)| json!({"sessionId": id, "cwd": session.cwd, "updatedAt": "2026-11-01T10:00:00Z"});
        Ok(json!({"sessions": listed.map(entry).collect::<Vec<_>>()}))
    }

    fn known(&mut self, params: &Value) -> Result<&mut Session, Refusal> {
        let id = params["sessionId"].as_str().ok_or_else(invalid)?;
        let unknown = (-32002, json!({"sessionId": id}));
        self.sessions.get_mut(id).ok_or(unknown)
    }

    fn prompt(&mut self, params: &Value, said: &mut Vec<Value>) -> Result<Value, Refusal> {
        let blocks = params["prompt"].as_array().ok_or_else(invalid)?;
        if blocks.is_empty() || blocks.iter().any(|block| !block["text"].is_string()) {
            return Err(invalid());
        }
        self.known(params)?.is_listed = true;
        let id = &params["sessionId"];
        let mut update = |update: Value| {
            let params = json!({"sessionId": id, "update": update});
            said.push(json!({"jsonrpc": "2.0", "method": "session/update", "params": params}));
        };
        update(
            json!({"sessionUpdate": "usage_update", "used": 1, "size": 100, "cost": {"amount": 0.5, "currency": "USD"}}),
        );
        let locations = json!([{"path": "/a", "line": 1}]);
        update(
            json!({"sessionUpdate": "tool_call", "toolCallId": "t", "title": "Look", "status": "pending", "locations": locations}),
        );
        update(json!({"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "completed"}));
        update(json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "hello"}}));
        Ok(json!({"stopReason": "end_turn"}))
    }
}

fn invalid() -> Refusal {
    (-32602, Value::Null)
}

/// An error reply.
pub(crate) fn error(id: &Value, code: i64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": "no"}})
}
