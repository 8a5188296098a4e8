//! Tools for reading, writing and running commands. They use the client's methods if it offers
//! them; otherwise the agent does the work itself.

use super::Correct;
use serde_json::{Value, json};

/// An open tool call.
pub(super) struct Tool {
    call: Value,
    /// The absolute path of its file.
    path: Option<String>,
    /// Its terminal.
    pub(super) terminal: Option<String>,
    /// The earlier content of the file.
    before: Option<String>,
}

impl Tool {
    fn name(&self) -> &str {
        self.call["tool"].as_str().unwrap_or_default()
    }

    pub(super) fn text(&self, key: &str) -> &str {
        self.call[key].as_str().unwrap_or_default()
    }

    /// Returns the new content of the file.
    fn after(&self) -> Option<String> {
        match (self.name(), &self.before) {
            ("edit", Some(before)) => {
                let old = self.text("old");
                before.contains(old).then(|| before.replacen(old, self.text("new"), 1))
            }
            ("edit", None) => None,
            _ => Some(self.text("content").to_owned()),
        }
    }
}

const fn kind(tool: &str) -> &'static str {
    match tool.as_bytes() {
        b"read" | b"look" => "read",
        b"write" | b"edit" => "edit",
        b"run" => "execute",
        _ => "other",
    }
}

impl Correct {
    /// Begins a tool call of the model.
    pub(super) fn start_tool(&mut self, session: &str, call: &Value) {
        let name = call["tool"].as_str().unwrap_or_default();
        if name == "plan" {
            return self
                .update(session, json!({"sessionUpdate": "plan", "entries": call["entries"]}));
        }
        let id = self.store.id("t");
        let asked = call["path"].as_str();
        let path = asked.and_then(|path| self.store.session(session).inside(path));
        let mut update = json!({
            "sessionUpdate": "tool_call",
            "toolCallId": id,
            "title": name,
            "name": name,
            "kind": kind(name),
            "status": "pending",
            "rawInput": call,
        });
        if let Some(path) = &path {
            update["locations"] = json!([{"path": path, "line": 1}]);
        }
        self.update(session, update);
        let is_outside = asked.is_some() && path.is_none();
        let tool = Tool { call: call.clone(), path, terminal: None, before: None };
        self.turns.get_mut(session).unwrap().tools.insert(id.clone(), tool);
        if is_outside {
            return self.finish_tool(session, &id, false, None);
        }
        let state = self.store.session(session);
        match state.decided.get(name) {
            Some(false) => self.finish_tool(session, &id, false, None),
            None if state.mode == "ask" && ["write", "edit", "run"].contains(&name) => {
                self.ask_permission(session, &id);
            }
            _ => self.work(session, &id),
        }
    }

    fn ask_permission(&mut self, session: &str, id: &str) {
        let options = [
            ("yes", "allow_once", "Yes"),
            ("always", "allow_always", "Always"),
            ("no", "reject_once", "No"),
            ("never", "reject_always", "Never"),
        ];
        let options =
            options.map(|(id, kind, name)| json!({"optionId": id, "kind": kind, "name": name}));
        let params = json!({"toolCall": {"toolCallId": id}, "options": options});
        self.ask("session/request_permission", session, Some(id), params);
    }

    /// Performs the action of the tool.
    fn work(&mut self, session: &str, id: &str) {
        self.update(
            session,
            json!({"sessionUpdate": "tool_call_update", "toolCallId": id, "status": "in_progress"}),
        );
        let tool = &self.turns[session].tools[id];
        let (path, line) = (tool.path.clone().unwrap_or_default(), tool.text("command").to_owned());
        match tool.name() {
            "look" => self.finish_tool(session, id, true, None),
            "read" | "edit" | "write" if self.client_has("/fs/readTextFile") => {
                self.ask("fs/read_text_file", session, Some(id), json!({"path": path}));
            }
            "read" | "edit" | "write" => {
                let before = std::fs::read_to_string(&path).ok();
                self.has_read(session, id, before);
            }
            "run" if self.client_has("/terminal") => {
                let cwd = self.store.session(session).cwd.clone();
                let params = json!({"command": "sh", "args": ["-c", line], "cwd": cwd, "outputByteLimit": 10_000});
                self.ask("terminal/create", session, Some(id), params);
            }
            "run" => {
                let cwd = self.store.session(session).cwd.clone();
                if self.version == 2 {
                    self.show_terminal(session, id, &line);
                }
                if let Some(is_done) = self.commands.run(session, &line, &cwd) {
                    self.finish_tool(session, id, is_done, None);
                }
            }
            "mcp" => self.call_server(session, id),
            "ask" if self.client_has("/elicitation/form") => {
                let schema = json!({"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]});
                let params = json!({"toolCallId": id, "mode": "form", "message": tool.text("question"), "requestedSchema": schema});
                self.ask("elicitation/create", session, Some(id), params);
            }
            _ => self.finish_tool(session, id, false, None),
        }
    }

    /// Continues a tool call after the client's reply. If there is no result, the client has
    /// refused the call.
    pub(super) fn go_on(&mut self, session: &str, id: &str, method: &str, result: Option<&Value>) {
        let Some(tool) = self.turns.get_mut(session).and_then(|turn| turn.tools.get_mut(id)) else {
            return;
        };
        match method {
            "session/request_permission" => self.has_asked(session, id, result),
            "elicitation/create" => {
                let content = result
                    .filter(|result| result["action"] == "accept")
                    .map(|result| &result["content"]);
                let answer = content.and_then(|content| content["answer"].as_str());
                let content = answer.map(
                    |text| json!([{"type": "content", "content": {"type": "text", "text": text}}]),
                );
                self.finish_tool(session, id, answer.is_some(), content);
            }
            "fs/read_text_file" => {
                let before =
                    result.and_then(|result| result["content"].as_str()).map(str::to_owned);
                self.has_read(session, id, before);
            }
            "terminal/create" => {
                tool.terminal =
                    result.and_then(|result| result["terminalId"].as_str()).map(str::to_owned);
                let Some(terminal) = tool.terminal.clone() else {
                    return self.finish_tool(session, id, false, None);
                };
                let content = json!([{"type": "terminal", "terminalId": terminal}]);
                self.update(
                    session,
                    json!({"sessionUpdate": "tool_call_update", "toolCallId": id, "content": content}),
                );
                self.ask(
                    "terminal/wait_for_exit",
                    session,
                    Some(id),
                    json!({"terminalId": terminal}),
                );
            }
            "terminal/wait_for_exit" => {
                // Only the exit code 0 is a success.
                let is_done = result.is_some_and(|result| result["exitCode"] == 0);
                tool.before = is_done.then(String::new);
                let terminal = tool.terminal.clone();
                self.ask("terminal/output", session, Some(id), json!({"terminalId": terminal}));
            }
            "terminal/output" => {
                let terminal = tool.terminal.take();
                self.ask("terminal/release", session, Some(id), json!({"terminalId": terminal}));
            }
            "terminal/release" => {
                let is_done = tool.before.is_some() && result.is_some();
                self.finish_tool(session, id, is_done, None);
            }
            // Some clients return null instead of an empty result.
            "fs/write_text_file" => self.has_written(session, id, result.is_some()),
            _ => self.finish_tool(session, id, result.is_some(), None),
        }
    }

    fn has_asked(&mut self, session: &str, id: &str, result: Option<&Value>) {
        let outcome = result
            .map(|result| &result["outcome"])
            .filter(|outcome| outcome["outcome"] == "selected");
        let choice = outcome.and_then(|outcome| outcome["optionId"].as_str()).unwrap_or_default();
        if let ("always" | "never", name) =
            (choice, self.turns[session].tools[id].name().to_owned())
        {
            self.store.session(session).decided.insert(name, choice == "always");
        }
        if ["yes", "always"].contains(&choice) {
            self.work(session, id);
        } else {
            self.finish_tool(session, id, false, None);
        }
    }

    /// Continues a tool call with the content of its file. `None` means that there is no such file.
    fn has_read(&mut self, session: &str, id: &str, before: Option<String>) {
        let Some(tool) = self.turns.get_mut(session).and_then(|turn| turn.tools.get_mut(id)) else {
            return;
        };
        if tool.name() == "read" {
            let content = before.map(
                |text| json!([{"type": "content", "content": {"type": "text", "text": text}}]),
            );
            return self.finish_tool(session, id, content.is_some(), content);
        }
        tool.before = before;
        let (path, after) = (tool.path.clone().unwrap_or_default(), tool.after());
        let Some(after) = after else { return self.finish_tool(session, id, false, None) };
        if self.client_has("/fs/writeTextFile") {
            self.ask(
                "fs/write_text_file",
                session,
                Some(id),
                json!({"path": path, "content": after}),
            );
        } else {
            let is_written = std::fs::write(&path, after).is_ok();
            self.has_written(session, id, is_written);
        }
    }

    fn has_written(&mut self, session: &str, id: &str, is_written: bool) {
        let tool = &self.turns[session].tools[id];
        let mut diff = json!({"type": "diff", "path": tool.path, "newText": tool.after()});
        if let Some(before) = &tool.before {
            diff["oldText"] = json!(before);
        }
        self.finish_tool(session, id, is_written, is_written.then(|| json!([diff])));
    }

    pub(super) fn finish_tool(
        &mut self,
        session: &str,
        id: &str,
        is_done: bool,
        content: Option<Value>,
    ) {
        let status = if is_done { "completed" } else { "failed" };
        self.end_tool(session, id, status, content);
    }

    /// Ends a tool call with this status.
    pub(super) fn end_tool(
        &mut self,
        session: &str,
        id: &str,
        status: &str,
        content: Option<Value>,
    ) {
        let tool = self.turns.get_mut(session).and_then(|turn| turn.tools.remove(id));
        let mut update =
            json!({"sessionUpdate": "tool_call_update", "toolCallId": id, "status": status});
        if let Some(content) = content {
            update["content"] = content;
        }
        if let (2, Some(terminal)) = (self.version, tool.and_then(|tool| tool.terminal)) {
            self.end_terminal(session, &terminal, status == "completed");
            update["capabilities"] = Value::Null;
        }
        self.update(session, update);
    }
}
