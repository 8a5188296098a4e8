//! An agent in memory that keeps every probed rule. It is a state machine that receives a line and
//! returns lines.
//!
//! It follows the acts in a prompt. It has its own reader of acts, so that a fault in the judge's
//! reader is detected.

mod archive;
mod authenticate;
mod call;
mod command;
mod config_option;
mod list;
mod mcp;
mod provider;
mod session;
mod store;
mod tool;
mod turn;
mod version_2;

pub(crate) use store::{Kept, Session};

use crate::fault::Before;
use attache_check::McpReach;
use call::Call;
use command::Commands;
use mcp::Servers;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use store::Store;
use turn::Turn;

/// The longest line that the agent reads, in bytes.
pub(crate) const LIMIT: usize = 1024 * 1024;

/// The agent of one connection.
#[derive(Default)]
pub(crate) struct Correct {
    /// The highest version that the agent supports.
    highest: u64,
    /// The version of the connection.
    version: u64,
    /// The state that outlives the connection. Its owner lends it to the agent while a line is
    /// answered.
    store: Store,
    kept: Kept,
    client: Option<Value>,
    /// The open sessions of this connection, in the order in which they were opened.
    pub(crate) open: Vec<String>,
    /// The running turns, by session.
    turns: BTreeMap<String, Turn>,
    /// The agent's calls without a reply.
    calls: BTreeMap<i64, Call>,
    last_call: i64,
    /// The commands that the agent runs itself.
    pub(crate) commands: Commands,
    servers: Servers,
    pub(crate) is_logged_out: bool,
    /// The URLs of the enabled providers.
    pub(crate) providers: BTreeMap<String, Value>,
    /// The session that was deleted last.
    pub(crate) deleted: Option<String>,
    /// A session whose cancels the agent ignores. Only faults set it.
    pub(crate) deaf: Option<String>,
    /// Whether a resume restores the MCP servers of the session. Only faults set it.
    pub(crate) restores_servers: bool,
    /// The turn that ended last: its session, the id of its prompt, and its stop reason, if any.
    last_turn: (String, Value, &'static str),
    said: Vec<Value>,
    /// The session that the current line opened. The agent has sent no updates of it yet.
    new: Option<String>,
    /// Whether that session was opened with an MCP server that does not exist.
    is_server_missing: bool,
    /// The session whose turn continues after the current line was answered.
    unfinished: Option<String>,
    /// The number of compactions.
    compactions: usize,
}

/// An error: its code and its data.
type Refusal = (i64, Value);

impl Correct {
    /// Creates an agent that supports all versions up to this one, with this store and this way to
    /// reach MCP servers.
    pub(crate) fn new(highest: u64, kept: Kept, reach: McpReach) -> Self {
        Self { highest, version: 1, kept, servers: Servers::new(reach), ..Self::default() }
    }

    /// Whether `initialize` has succeeded.
    pub(crate) fn is_initialized(&self) -> bool {
        self.client.is_some()
    }

    /// Returns the state of the agent before the next line.
    pub(crate) fn before(&self) -> Before {
        Before {
            client: self.client.clone().unwrap_or_default(),
            calls: self.calls.iter().map(|(id, call)| (*id, call.method)).collect(),
            turns: self
                .turns
                .iter()
                .map(|(session, turn)| (session.clone(), turn.request.clone()))
                .collect(),
            last_turn: self.last_turn.clone(),
        }
    }

    /// Returns the method of the agent's open call with this id.
    pub(crate) fn called(&self, id: &Value) -> &'static str {
        id.as_i64().and_then(|id| self.calls.get(&id)).map_or("", |call| call.method)
    }

    /// Opens the session without a request. Only faults call this.
    pub(crate) fn open_wrongly(&mut self, id: &Value) {
        let id = id.as_str().unwrap_or_default();
        let is_there = self.kept.lock().unwrap().sessions.contains_key(id);
        if is_there && !self.open.iter().any(|open| open == id) {
            self.open.push(id.to_owned());
        }
    }

    /// Opens every session in the store. Only faults call this.
    pub(crate) fn open_all_wrongly(&mut self) {
        self.open = self.kept.lock().unwrap().sessions.keys().cloned().collect();
    }

    /// Changes the stored state of the session that was opened last. Only faults call this.
    pub(crate) fn keep_last_wrongly(&mut self, change: impl FnOnce(&mut Session)) {
        if let Some(last) = self.open.last().map(|last| json!(last)) {
            self.keep_wrongly(&last, change);
        }
    }

    /// Changes the stored state of a session, if it exists. Only faults call this.
    pub(crate) fn keep_wrongly(&mut self, id: &Value, change: impl FnOnce(&mut Session)) {
        if let Some(session) =
            self.kept.lock().unwrap().sessions.get_mut(id.as_str().unwrap_or_default())
        {
            change(session);
        }
    }

    /// Returns the agent's lines in response to a line.
    pub(crate) fn line(&mut self, line: &str) -> Vec<Value> {
        let kept = self.kept.clone();
        let mut kept = kept.lock().unwrap();
        std::mem::swap(&mut self.store, &mut *kept);
        self.heard(line);
        std::mem::swap(&mut self.store, &mut *kept);
        let said = std::mem::take(&mut self.said);
        match self.version {
            1 => said,
            _ => said.into_iter().filter_map(version_2::translated).collect(),
        }
    }

    fn heard(&mut self, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        let Ok(message) = serde_json::from_str::<Value>(line) else {
            return self.said.push(error(&Value::Null, -32700));
        };
        let (id, method) = (&message["id"], message["method"].as_str());
        let is_valid_id = id.is_null() || id.is_string() || id.is_i64();
        let Some(method) = method.filter(|_| message["jsonrpc"] == "2.0" && is_valid_id) else {
            let is_reply = message.get("id").is_some() && method.is_none();
            return if is_reply {
                self.reply(&message)
            } else {
                self.said.push(error(&Value::Null, -32600))
            };
        };
        if message.get("id").is_none() {
            return self.notified(method, &message["params"]);
        }
        match self.call(method, id, &message["params"]) {
            Ok(Some(result)) => {
                self.give(id, result);
                self.greet();
                if let Some(session) = self.unfinished.take() {
                    self.advance(&session);
                }
            }
            // The end of the turn answers the prompt.
            Ok(None) => {}
            Err((code, data)) => {
                let mut reply = error(id, code);
                reply["error"]["data"] = data;
                self.said.push(reply);
            }
        }
    }

    fn give(&mut self, id: &Value, result: Value) {
        self.said.push(json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }

    fn notified(&mut self, method: &str, params: &Value) {
        match method {
            "session/cancel" => {
                if let Some(session) = params["sessionId"].as_str() {
                    self.cancel(session);
                }
            }
            "$/cancel_request" if self.version == 1 => {
                let running =
                    self.turns.iter().find(|(_, turn)| turn.request == params["requestId"]);
                if let Some(session) = running.map(|(session, _)| session.clone()) {
                    self.cancel(&session);
                }
            }
            _ => {}
        }
    }

    fn call(&mut self, method: &str, id: &Value, params: &Value) -> Result<Option<Value>, Refusal> {
        if !self.is_initialized() && method != "initialize" {
            return Err((-32600, Value::Null));
        }
        if self.version == 2 {
            return self.call_2(method, id, params);
        }
        let result = match method {
            "initialize" if self.highest > 1 => self.initialize_of_any_version(params),
            "initialize" => self.initialize(params),
            "authenticate" => self.authenticate(params),
            "logout" => Ok(self.logout()),
            "auth/status" => Ok(self.login()),
            "providers/list" => Ok(self.providers()),
            "providers/set" => self.set_provider(params),
            "providers/disable" => self.disable_provider(params),
            "session/new" if self.is_logged_out => Err((-32000, Value::Null)),
            "session/new" => self.new_session(params),
            "session/list" => self.list(params),
            "session/load" => self.load(params),
            "session/resume" => self.resume(params),
            "session/fork" => self.fork(params),
            "session/close" => self.close(params),
            "session/delete" => self.delete(params),
            "session/archive" => self.archive(params, true),
            "session/unarchive" => self.archive(params, false),
            "session/status" => self.status(params),
            "session/set_title" => self.set_title(params),
            "session/set_mode" => self.set_mode(params),
            "session/set_config_option" => self.set_option(params),
            "session/prompt" => return self.prompt(id, params).map(|()| None),
            _ => Err((-32601, Value::Null)),
        };
        result.map(Some)
    }

    fn initialize(&mut self, params: &Value) -> Result<Value, Refusal> {
        params["protocolVersion"]
            .as_u64()
            .filter(|version| *version <= 65_535)
            .ok_or_else(invalid)?;
        self.client = Some(params["clientCapabilities"].clone());
        let session = json!({
            "list": {}, "resume": {}, "close": {}, "delete": {}, "fork": {}, "additionalDirectories": {}, "archive": {}, "status": {},
            "title": {}, "systemPrompt": {},
        });
        let capabilities = json!({
            "loadSession": true, "promptCapabilities": {}, "sessionCapabilities": session, "providers": {},
            "mcpCapabilities": {"http": true, "acp": true},
            "auth": {"logout": {}, "status": {}}, "_meta": {"attache.invalid/flavour": {"sweet": true}},
        });
        let info = json!({"name": "correct", "version": "1"});
        Ok(
            json!({"protocolVersion": 1, "agentInfo": info, "authMethods": self.methods(), "agentCapabilities": capabilities}),
        )
    }

    /// Whether the client offers the capability at this JSON pointer.
    fn client_has(&self, pointer: &str) -> bool {
        if self.version == 2 && pointer.starts_with("/session") {
            return true;
        }
        let is_marker = self.version == 2
            || !["/fs/readTextFile", "/fs/writeTextFile", "/terminal", "/auth/terminal"]
                .contains(&pointer);
        let offered = self.client.as_ref().and_then(|client| client.pointer(pointer));
        offered.is_some_and(|value| if is_marker { value.is_object() } else { *value == true })
    }

    /// Sends the first updates of a new session after the reply with its id.
    fn greet(&mut self) {
        if let Some(id) = self.new.take() {
            let help = json!({"name": "help", "description": "Lists the commands."});
            let compact = json!({"name": "compact", "description": "Summarizes the conversation."});
            self.update(
                &id,
                json!({"sessionUpdate": "available_commands_update", "availableCommands": [help, compact]}),
            );
            if std::mem::take(&mut self.is_server_missing) && self.client_has("/session/notices") {
                let notice = json!({"sessionUpdate": "notice", "severity": "warning", "title": "A server cannot be started."});
                self.update(&id, notice);
            }
            self.ask_own_servers(&id);
        }
    }

    /// Sends an update of the session and stores it if it belongs to the history.
    fn update(&mut self, session: &str, update: Value) {
        let kind = update["sessionUpdate"].as_str().unwrap_or_default();
        if kind.ends_with("_chunk")
            || kind.starts_with("tool_call")
            || kind == "plan"
            || kind == "terminal_update"
        {
            self.store.session(session).history.push(update.clone());
        }
        let params = json!({"sessionId": session, "update": update});
        self.said.push(json!({"jsonrpc": "2.0", "method": "session/update", "params": params}));
    }
}

fn invalid() -> Refusal {
    (-32602, Value::Null)
}

/// Returns an error reply.
pub(crate) fn error(id: &Value, code: i64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": "no"}})
}
