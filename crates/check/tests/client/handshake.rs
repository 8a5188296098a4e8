//! The handshake of the client.

use crate::correct::{Correct, Kind, Said};
use serde_json::{Value, json};

/// Returns the params of `initialize`.
pub(crate) fn params(kind: Kind) -> Value {
    let capabilities = match kind {
        Kind::Full => json!({
            "fs": {"readTextFile": true, "writeTextFile": true},
            "terminal": true,
            "elicitation": {"form": {}, "url": {}},
            "session": {"notices": {}, "compaction": {}, "configOptions": {"boolean": {}}},
            "plan": {}, "subagents": {}, "auth": {"terminal": true},
        }),
        Kind::Bare => json!({"elicitation": {"form": {}}}),
    };
    let info = json!({"name": "correct", "version": "1"});
    json!({"protocolVersion": 1, "clientInfo": info, "clientCapabilities": capabilities})
}

impl Correct {
    /// Handles the agent's reply to `initialize`.
    pub(crate) fn initialized(&mut self, result: &Value) {
        if result["protocolVersion"] != 1 {
            return self.leave(1, "the agent uses another version of the protocol");
        }
        self.agent = result.clone();
        match self.terminal_login().filter(|_| self.is_on("login")) {
            Some(login) => self.said.push(Said::LoggingIn(login)),
            None => self.begin_task(),
        }
    }

    /// Whether the agent offers this capability.
    pub(crate) fn agent_offers(&self, capability: &str) -> bool {
        let offered = self.agent["agentCapabilities"].pointer(capability);
        offered.is_some_and(|offered| offered.is_object() || *offered == json!(true))
    }

    /// Returns the first login method without a terminal. An unknown type counts as an agent login.
    pub(crate) fn login(&self) -> Option<String> {
        let methods = self.agent["authMethods"].as_array()?;
        let usable = methods.iter().find(|method| {
            method["type"] != "terminal" && method["id"].is_string() && method["name"].is_string()
        });
        usable?["id"].as_str().map(str::to_owned)
    }

    /// Returns the terminal login of the task.
    fn terminal_login(&self) -> Option<Value> {
        let methods = self.agent["authMethods"].as_array()?;
        let method = methods.iter().find(|method| method["id"] == self.task_value("method"))?;
        let is_usable = method["type"] == "terminal" && method["args"].is_array();
        (is_usable && self.offers("/auth/terminal"))
            .then(|| json!({"arguments": method["args"], "environment": method["env"]}))
    }
}
