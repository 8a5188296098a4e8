//! The tasks of the client, step by step.

use crate::correct::{Correct, Session, Version};
use serde_json::{Value, json};
use std::path::PathBuf;

impl Correct {
    /// Begins the task after the handshake.
    pub(crate) fn begin_task(&mut self) {
        let session = json!({"sessionId": self.task_value("session")});
        match self.task.name() {
            "login" => match self.login() {
                Some(method) => self.call(self.login_method(), json!({"methodId": method})),
                None => self.leave(1, "the agent offers no login method"),
            },
            "status" => self.if_offered("/auth/status", "auth/status", json!({})),
            "unarchive" => {
                self.if_offered("/sessionCapabilities/archive", "session/unarchive", session)
            }
            "logout" if self.version == Version::Two => {
                self.if_offered("/auth/logout", "auth/logout", json!({}))
            }
            "logout" => self.if_offered("/auth/logout", "logout", Value::Null),
            "list" => self.if_offered("/sessionCapabilities/list", "session/list", json!({})),
            "delete" => self.if_offered("/sessionCapabilities/delete", "session/delete", session),
            _ if self.version == Version::Two && !self.agent_offers("/session") => {
                self.leave(1, "the agent has no sessions");
            }
            _ => self.open(),
        }
    }

    /// Returns the name of the method that logs in.
    fn login_method(&self) -> &'static str {
        match self.version {
            Version::One => "authenticate",
            Version::Two => "auth/login",
        }
    }

    fn if_offered(&mut self, capability: &str, method: &'static str, params: Value) {
        match self.agent_offers(capability) {
            true => self.call(method, params),
            false => self.leave(1, &format!("the agent does not offer {method}")),
        }
    }

    /// Opens the session of the task, either a stored one or a new one.
    fn open(&mut self) {
        let mut params = json!({"cwd": self.task.cwd(), "mcpServers": self.servers()});
        if self.is_on("directories") {
            if !self.agent_offers("/sessionCapabilities/additionalDirectories") {
                return self.leave(1, "the agent does not support additional directories");
            }
            params["additionalDirectories"] = json!([self.task_value("directory")]);
        }
        if self.is_on("system_prompt") {
            if !self.agent_offers("/sessionCapabilities/systemPrompt") {
                return self.leave(1, "the agent does not support system prompts");
            }
            let content = json!([{"type": "text", "text": self.task_value("text")}]);
            params["systemPrompt"] = json!({"mode": "append", "content": content});
        }
        let old = match self.task.name() {
            "load" if self.version == Version::Two => {
                params["replayFrom"] = json!({"type": "start"});
                Some(("/loadSession", "session/resume"))
            }
            "load" => Some(("/loadSession", "session/load")),
            "resume" => Some(("/sessionCapabilities/resume", "session/resume")),
            "fork" => Some(("/sessionCapabilities/fork", "session/fork")),
            _ => None,
        };
        match old {
            Some((_, "session/load"))
                if !self.knows_status && self.agent_offers("/sessionCapabilities/status") =>
            {
                self.call("session/status", json!({"sessionId": self.task_value("session")}));
            }
            Some((capability, method)) => {
                params["sessionId"] = json!(self.task_value("session"));
                self.if_offered(capability, method, params);
            }
            None => self.call("session/new", params),
        }
    }

    /// Returns the MCP servers of the task with a transport that the agent supports.
    fn servers(&self) -> Value {
        let mut servers = Vec::new();
        if self.is_on("mcp") && self.agent_has_programs() {
            servers.push(
                json!({"name": "local", "command": "/bin/true", "args": [], "env": [], "type": "stdio"}),
            );
        }
        if self.is_on("mcp") {
            if self.agent_offers("/mcpCapabilities/http") {
                let url = "http://127.0.0.1:9/mcp";
                servers.push(json!({"name": "web", "type": "http", "url": url, "headers": []}));
            }
            if self.agent_offers("/mcpCapabilities/acp") {
                servers.push(json!({"name": "here", "type": "acp", "serverId": "server-1"}));
            }
        }
        json!(servers)
    }

    /// Whether the agent starts MCP servers that are programs.
    fn agent_has_programs(&self) -> bool {
        self.version == Version::One || self.agent_offers("/mcpCapabilities/stdio")
    }

    /// Handles a reply of the agent. Ignores a reply without a call.
    pub(crate) fn reply(&mut self, reply: &Value) {
        let is_whole = reply.get("result").is_some() != reply["error"]["code"].is_i64();
        let Some(method) =
            reply["id"].as_i64().filter(|_| is_whole).and_then(|id| self.asked.remove(&id))
        else {
            return;
        };
        match reply.get("result") {
            Some(result) => self.done(method, result),
            None => self.failed(method, &reply["error"]),
        }
    }

    fn failed(&mut self, method: &str, error: &Value) {
        match (method, self.login()) {
            ("session/new", Some(login)) if error["code"] == -32000 => {
                self.call(self.login_method(), json!({"methodId": login}));
            }
            ("session/delete" | "session/close", _) if error["code"] == -32002 => self.leave(0, ""),
            ("session/prompt", _) => {
                self.turn_over();
                self.leave(1, &error.to_string());
            }
            _ => self.leave(1, &error.to_string()),
        }
    }

    fn done(&mut self, method: &str, result: &Value) {
        match method {
            "initialize" => self.initialized(result),
            "authenticate" | "auth/login" if self.is_on("login") => self.leave(0, "logged in"),
            "authenticate" | "auth/login" => self.open(),
            "tool_call/cancel" => {}
            "session/status" => {
                self.knows_status = true;
                match result["status"] == "open" {
                    true => self.set_up(self.task_value("session").to_owned(), &json!({})),
                    false => self.open(),
                }
            }
            "session/list" => self.listed(result),
            "session/new" | "session/fork" => match result["sessionId"].as_str() {
                Some(id) => self.set_up(id.to_owned(), result),
                None => self.leave(1, "the agent returned no session"),
            },
            "session/load" | "session/resume" => {
                self.set_up(self.task_value("session").to_owned(), result)
            }
            "session/set_mode" => self.prompt("prompt"),
            "session/set_config_option" => {
                if let (Some(session), Some(options)) =
                    (&mut self.session, result["configOptions"].as_array())
                {
                    session.options = readable(options);
                    self.show(&format!("options {}", result["configOptions"]));
                }
                match self.is_on("set_options") && !std::mem::replace(&mut self.has_set_twice, true)
                {
                    true => self.set("option2", json!(self.task_value("value2"))),
                    false => self.prompt("prompt"),
                }
            }
            "session/prompt" if self.version == Version::Two => self.work.is_prompted = true,
            "session/prompt" => self.turn_ended(result),
            _ => self.leave(0, "done"),
        }
    }

    /// Prints a page of sessions and requests the next page.
    fn listed(&mut self, result: &Value) {
        for entry in result["sessions"].as_array().into_iter().flatten() {
            if entry["sessionId"].is_string() && entry["cwd"].is_string() {
                self.show(&format!("session {} {}", entry["sessionId"], entry["title"]));
            }
        }
        match result["nextCursor"].as_str() {
            Some(cursor) => self.call("session/list", json!({"cursor": cursor})),
            None => self.leave(0, ""),
        }
    }

    fn set_up(&mut self, id: String, result: &Value) {
        let mut roots = vec![self.task.cwd().to_owned()];
        if self.is_on("directories") {
            roots.push(PathBuf::from(self.task_value("directory")));
        }
        let options =
            result["configOptions"].as_array().map(|options| readable(options)).unwrap_or_default();
        let session = Session { id, roots, options };
        self.opened(session.clone());
        let value = json!(self.task_value("value"));
        match self.task.name() {
            "set_mode" => self.set_mode(&session),
            "set_option" | "set_options" => self.set("option", value),
            "set_boolean" => self.set("option", json!(self.task_value("value") == "true")),
            _ => self.prompt("prompt"),
        }
    }

    /// Sets the mode with its config option if there is one, otherwise with `session/set_mode`
    /// (MODE-06).
    fn set_mode(&mut self, session: &Session) {
        let mode = self.task_value("mode").to_owned();
        let options = &session.options;
        let mode_option = options.iter().find(|option| option["category"] == "mode");
        match mode_option.map(|option| &option["id"]) {
            Some(option) => {
                let params = json!({"sessionId": session.id, "configId": option, "value": mode});
                self.call("session/set_config_option", params);
            }
            None => self.call("session/set_mode", json!({"sessionId": session.id, "modeId": mode})),
        }
    }

    /// Sets the option that this placeholder names.
    fn set(&mut self, placeholder: &str, value: Value) {
        let Some(session) = &self.session else { return };
        let id = self.task_value(placeholder);
        if !session.options.iter().any(|option| *id_of(option) == id) {
            return self.leave(1, "the session has no such option");
        }
        let mut params = json!({"sessionId": session.id, "configId": id, "value": value});
        if self.version == Version::Two {
            params["type"] = json!("id");
        }
        if params["value"].is_boolean() {
            params["type"] = json!("boolean");
        }
        self.call("session/set_config_option", params);
    }

    fn prompt(&mut self, placeholder: &str) {
        let Some(id) = self.session.as_ref().map(|session| session.id.clone()) else { return };
        let mut blocks = vec![json!({"type": "text", "text": self.task_value(placeholder)})];
        if self.is_on("image") {
            if !self.agent_offers("/promptCapabilities/image") {
                return self.leave(1, "the agent does not accept images");
            }
            blocks.push(json!({"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="}));
        }
        self.call("session/prompt", json!({"sessionId": id, "prompt": blocks}));
    }

    pub(crate) fn turn_ended(&mut self, result: &Value) {
        const REASONS: [&str; 5] =
            ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"];
        self.turn_over();
        let reason = result["stopReason"].as_str().filter(|reason| REASONS.contains(reason));
        match reason {
            Some(reason)
                if self.is_on("close") && self.agent_offers("/sessionCapabilities/close") =>
            {
                self.show(reason);
                let session = self.session.as_ref().map(|session| session.id.clone());
                self.call("session/close", json!({"sessionId": session}));
            }
            Some("end_turn")
                if self.is_on("twice")
                    && !std::mem::replace(&mut self.has_prompted_twice, true) =>
            {
                self.prompt("prompt2");
            }
            Some("end_turn") => self.leave(0, ""),
            Some("refusal") => {
                self.leave(1, "refused: the agent forgets this prompt and later messages")
            }
            Some(reason) => self.leave(1, reason),
            None => self.leave(1, "the turn ended for an unknown reason"),
        }
    }

    /// Whether a turn is running.
    fn is_in_turn(&self) -> bool {
        self.work.is_prompted || self.asked.values().any(|method| *method == "session/prompt")
    }

    /// Cancels the running turn and answers the calls that wait for the person (CANCEL-05).
    pub(crate) fn cancel_turn(&mut self) {
        let Some(id) = self.session.as_ref().map(|session| session.id.clone()) else {
            return self.leave(1, "cancelled");
        };
        if self.is_in_turn() && !self.is_cancelled {
            self.is_cancelled = true;
            self.notify("session/cancel", &json!({"sessionId": id}));
            self.settle();
        }
    }

    fn turn_over(&mut self) {
        self.settle();
        self.is_cancelled = false;
    }
}

/// Returns the id of an option of either version.
fn id_of(option: &Value) -> &Value {
    option.get("configId").unwrap_or(&option["id"])
}

/// Returns the well-formed options.
pub(crate) fn readable(options: &[Value]) -> Vec<Value> {
    let is_value = |value: &Value| value["value"].is_string() && value["name"].is_string();
    let is_group = |group: &Value| {
        let id = group.get("groupId").unwrap_or(&group["group"]);
        id.is_string() && group["options"].is_array()
    };
    let is_whole = |option: &&Value| {
        let values = option["options"].as_array();
        let is_kind = match option["type"].as_str() {
            Some("boolean") => option["currentValue"].is_boolean(),
            Some("select") => {
                values.is_some_and(|all| all.iter().all(is_value) || all.iter().all(is_group))
            }
            _ => false,
        };
        id_of(option).is_string() && option["name"].is_string() && is_kind
    };
    options.iter().filter(is_whole).cloned().collect()
}
