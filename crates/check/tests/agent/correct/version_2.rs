//! Version 2 of the protocol: the calls that differ from version 1, and the translation of what the
//! agent sends.

use super::session::list_or_null;
use super::store::unknown;
use super::{Correct, Refusal, invalid};
use serde_json::{Value, json};

/// The error code for a version below every supported one.
const UNSUPPORTED: i64 = -32022;

impl Correct {
    /// Answers `initialize` with the highest supported version that the client accepts.
    pub(super) fn initialize_of_any_version(&mut self, params: &Value) -> Result<Value, Refusal> {
        match params["protocolVersion"].as_u64() {
            Some(0) => Err((UNSUPPORTED, json!({"requested": 0, "supported": [1, 2]}))),
            Some(1) => self.initialize(params),
            _ => self.initialize_2(params),
        }
    }

    fn initialize_2(&mut self, params: &Value) -> Result<Value, Refusal> {
        let version = params["protocolVersion"].as_u64().filter(|version| *version <= 65_535);
        version.filter(|_| params["info"]["name"].is_string()).ok_or_else(invalid)?;
        self.client = Some(params["capabilities"].clone());
        self.version = 2;
        let session = json!({
            "prompt": {}, "mcp": {"stdio": {}, "http": {}}, "delete": {}, "fork": {},
            "additionalDirectories": {},
        });
        let mut methods = vec![json!({"methodId": "login", "name": "Log in", "type": "agent"})];
        if self.client_has("/auth/terminal") {
            methods.push(json!({"methodId": "shell", "name": "Log in here", "type": "terminal"}));
        }
        let info = json!({"name": "correct", "version": "1"});
        Ok(
            json!({"protocolVersion": 2, "info": info, "capabilities": {"session": session}, "authMethods": methods}),
        )
    }

    /// Answers a call of version 2. Returns `None` if the reply was sent already.
    pub(super) fn call_2(
        &mut self,
        method: &str,
        id: &Value,
        params: &Value,
    ) -> Result<Option<Value>, Refusal> {
        let result = match method {
            "initialize" => self.initialize_of_any_version(params),
            "auth/login" => self.authenticate(params),
            "auth/logout" => Ok(self.logout()),
            "session/new" if self.is_logged_out => Err((-32000, Value::Null)),
            "session/new" => self.new_session(&opening(params)?),
            "session/list" => self.list(params),
            "session/resume" => self.resume_2(params),
            "session/fork" => self.fork(&opening(params)?),
            "session/close" => self.close_2(params),
            "session/delete" => self.delete(params),
            "session/set_config_option" => self.set_option_2(params),
            "session/prompt" => return self.prompt(id, params).map(|()| None),
            "tool_call/cancel" => self.cancel_tool(params, "toolCallId"),
            "terminal/cancel" => self.cancel_tool(params, "terminalId"),
            _ => Err((-32601, Value::Null)),
        };
        result.map(|mut result| {
            if result.get("configOptions").is_some() {
                result.as_object_mut().unwrap().remove("modes");
                rename_options(&mut result["configOptions"]);
            }
            Some(result)
        })
    }

    fn resume_2(&mut self, params: &Value) -> Result<Value, Refusal> {
        let id = self.store.named(params)?;
        let replays = match &params["replayFrom"] {
            Value::Null => false,
            cursor if cursor["type"] == "start" => true,
            _ => return Err(invalid()),
        };
        let result = self.resume(&opening(params)?)?;
        let history = self.store.session(&id).history.clone();
        for update in history.into_iter().filter(|_| replays) {
            self.send_update(&id, update);
        }
        let state = if self.turns.contains_key(&id) { "running" } else { "idle" };
        self.report_state(&id, json!({"state": state}));
        Ok(result)
    }

    fn close_2(&mut self, params: &Value) -> Result<Value, Refusal> {
        let id = params["sessionId"].as_str().ok_or_else(invalid)?;
        self.cancel(id);
        self.open.retain(|open| open != id);
        Ok(json!({}))
    }

    fn set_option_2(&mut self, params: &Value) -> Result<Value, Refusal> {
        let is_right = match params["type"].as_str() {
            Some("id") => params["value"].is_string(),
            Some("boolean") => params["value"].is_boolean(),
            _ => false,
        };
        if is_right { self.set_option(params) } else { Err(invalid()) }
    }

    /// Ends one tool call, if it can be cancelled.
    fn cancel_tool(&mut self, params: &Value, key: &str) -> Result<Value, Refusal> {
        let session = params["sessionId"].as_str().ok_or_else(invalid)?.to_owned();
        if !self.open.contains(&session) {
            return Err(unknown(&session));
        }
        let named = params[key].as_str().ok_or_else(invalid)?;
        let tools = self.turns.get(&session).map(|turn| &turn.tools).ok_or_else(invalid)?;
        let found = tools.iter().find(|(id, tool)| match key {
            "toolCallId" => *id == named && tool.terminal.is_some(),
            _ => tool.terminal.as_deref() == Some(named),
        });
        let id = found.map(|(id, _)| id.clone()).ok_or_else(invalid)?;
        self.commands.kill(&session);
        self.end_tool(&session, &id, "cancelled", None);
        self.unfinished = Some(session);
        Ok(json!({}))
    }

    /// Reports the terminal of a command that the agent runs.
    pub(super) fn show_terminal(&mut self, session: &str, id: &str, command: &str) {
        let terminal = self.store.id("terminal");
        let cwd = self.store.session(session).cwd.clone();
        let can_cancel = json!({"cancel": {}});
        self.update(
            session,
            json!({"sessionUpdate": "terminal_update", "terminalId": terminal, "command": command, "cwd": cwd, "capabilities": can_cancel}),
        );
        let content = json!([{"type": "terminal", "terminalId": terminal}]);
        self.update(
            session,
            json!({"sessionUpdate": "tool_call_update", "toolCallId": id, "content": content, "capabilities": can_cancel}),
        );
        if let Some(tool) = self.turns.get_mut(session).and_then(|turn| turn.tools.get_mut(id)) {
            tool.terminal = Some(terminal);
        }
    }

    /// Reports the end of a command.
    pub(super) fn end_terminal(&mut self, session: &str, terminal: &str, is_done: bool) {
        // "ok" and a line end, as base64.
        let chunk = json!({"sessionUpdate": "terminal_output_chunk", "terminalId": terminal, "data": "b2sK"});
        self.update(session, chunk);
        let status = json!({"exitCode": u8::from(!is_done)});
        self.update(
            session,
            json!({"sessionUpdate": "terminal_update", "terminalId": terminal, "exitStatus": status, "capabilities": null}),
        );
    }

    /// Inserts the message of a prompt and begins its work.
    pub(super) fn begin_work(
        &mut self,
        session: &str,
        request: &Value,
        message: &str,
        blocks: &[Value],
    ) {
        let update =
            json!({"sessionUpdate": "user_message", "messageId": message, "content": blocks});
        self.send_update(session, update);
        self.give(request, json!({"messageId": message}));
        self.report_state(session, json!({"state": "running"}));
    }

    /// Reports the end of the work of a turn.
    pub(super) fn end_work(&mut self, session: &str, result: Result<Value, i64>) {
        let mut idle = json!({"state": "idle"});
        match result {
            Ok(result) => idle["stopReason"] = result["stopReason"].clone(),
            Err(code) => {
                idle["stopReason"] = json!("error");
                idle["error"] = json!({"code": code, "message": "no"});
            }
        }
        self.report_state(session, idle);
    }

    /// Reports the state of a session.
    pub(super) fn report_state(&mut self, session: &str, mut state: Value) {
        state["sessionUpdate"] = json!("state_update");
        state["background"] = json!([]);
        self.send_update(session, state);
    }

    pub(super) fn send_update(&mut self, session: &str, update: Value) {
        let params = json!({"sessionId": session, "update": update});
        self.said.push(json!({"jsonrpc": "2.0", "method": "session/update", "params": params}));
    }
}

/// Returns the params that open a session, in the form of version 1.
fn opening(params: &Value) -> Result<Value, Refusal> {
    let mut params = params.clone();
    let mut servers = list_or_null(&params["mcpServers"])?.to_vec();
    for server in &mut servers {
        match server["type"].as_str() {
            Some("stdio") => {
                server.as_object_mut().unwrap().remove("type");
                for key in ["args", "env"] {
                    if server[key].is_null() {
                        server[key] = json!([]);
                    }
                }
            }
            Some("http") => {}
            _ => return Err(invalid()),
        }
    }
    params["mcpServers"] = json!(servers);
    Ok(params)
}

/// Returns the line in the form of version 2, or `None` if version 2 has no such message.
pub(super) fn translated(mut line: Value) -> Option<Value> {
    match line["method"].as_str() {
        Some("session/update") => {
            let update = &mut line["params"]["update"];
            match update["sessionUpdate"].as_str().unwrap_or_default() {
                "current_mode_update" => return None,
                "plan" => {
                    let plan =
                        json!({"type": "items", "planId": "plan", "entries": update["entries"]});
                    *update = json!({"sessionUpdate": "plan_update", "plan": plan});
                }
                "available_commands_update" => {
                    let commands = update["availableCommands"].as_array_mut();
                    commands.into_iter().flatten().for_each(|it| it["type"] = json!("command"));
                }
                "config_option_update" => rename_options(&mut update["configOptions"]),
                "tool_call" | "tool_call_update" => {
                    update["sessionUpdate"] = json!("tool_call_update");
                    let content = update.get_mut("content").and_then(Value::as_array_mut);
                    content.into_iter().flatten().for_each(translate_diff);
                }
                _ => {}
            }
        }
        Some("session/request_permission") => {
            let params = line["params"].as_object_mut().unwrap();
            let call = params.remove("toolCall");
            params.insert("title".to_owned(), json!("May the agent do this?"));
            params.insert("subject".to_owned(), json!({"type": "tool_call", "toolCall": call}));
        }
        Some("auth/status_update") => return None,
        _ => {}
    }
    Some(line)
}

fn rename_options(options: &mut Value) {
    for option in options.as_array_mut().into_iter().flatten() {
        let members = option.as_object_mut().unwrap();
        let id = members.remove("id").unwrap_or_default();
        members.insert("configId".to_owned(), id);
    }
}

/// Replaces the texts of a file by the change and its patch.
fn translate_diff(content: &mut Value) {
    if content["type"] != "diff" {
        return;
    }
    let path = content["path"].as_str().unwrap_or_default().to_owned();
    let lines = |text: &Value, mark: &str| -> String {
        let lines = text.as_str().unwrap_or_default().lines();
        lines.map(|line| format!("{mark}{line}\n")).collect()
    };
    let (old, new) = (lines(&content["oldText"], "-"), lines(&content["newText"], "+"));
    let operation = if content["oldText"].is_null() { "add" } else { "modify" };
    let count = |text: &str| text.lines().count();
    let text = format!(
        "diff --git {path} {path}\n--- {path}\n+++ {path}\n@@ -1,{} +1,{} @@\n{old}{new}",
        count(&old),
        count(&new),
    );
    let patch = json!({"format": "git_patch", "text": text});
    *content = json!({"type": "diff", "changes": [{"operation": operation, "path": path}], "patch": patch});
}
