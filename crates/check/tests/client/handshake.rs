//! The handshake of the client.

use crate::correct::{Correct, Kind, Said, Version};
use serde_json::{Value, json};

/// Returns the params of `initialize`.
pub(crate) fn params(kind: Kind, version: Version) -> Value {
    let info = json!({"name": "correct", "version": "1"});
    if version == Version::Two {
        let capabilities = match kind {
            Kind::Full => json!({"elicitation": {"form": {}, "url": {}}, "auth": {"terminal": {}}}),
            Kind::Bare => json!({"elicitation": {"form": {}}}),
        };
        return json!({"protocolVersion": 2, "info": info, "capabilities": capabilities});
    }
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
    json!({"protocolVersion": 1, "clientInfo": info, "clientCapabilities": capabilities})
}

impl Correct {
    /// Handles the agent's reply to `initialize`.
    pub(crate) fn initialized(&mut self, result: &Value) {
        if result["protocolVersion"] != self.version.number() {
            return self.leave(1, "the agent uses another version of the protocol");
        }
        self.agent = result.clone();
        match self.terminal_login().filter(|_| self.is_on("login")) {
            Some(login) => self.said.push(Said::LoggingIn(login)),
            None => self.begin_task(),
        }
    }

    /// Whether the agent offers this capability of version 1, or its equivalent in version 2.
    pub(crate) fn agent_offers(&self, capability: &str) -> bool {
        if self.version == Version::Two {
            return self.agent_offers_later(capability);
        }
        let offered = self.agent["agentCapabilities"].pointer(capability);
        offered.is_some_and(|offered| offered.is_object() || *offered == json!(true))
    }

    /// Whether the agent offers the equivalent of this capability in version 2.
    fn agent_offers_later(&self, capability: &str) -> bool {
        let name = capability.rsplit('/').next().unwrap();
        let path = match capability {
            "/auth/logout" => return self.agent["authMethods"][0].is_object(),
            "/session" | "/loadSession" => "/session".to_owned(),
            "/sessionCapabilities/list" | "/sessionCapabilities/resume" => "/session".to_owned(),
            "/sessionCapabilities/close" => "/session".to_owned(),
            _ if capability.starts_with("/promptCapabilities/") => {
                format!("/session/prompt/{name}")
            }
            _ if capability.starts_with("/mcpCapabilities/") => format!("/session/mcp/{name}"),
            _ => format!("/session/{name}"),
        };
        self.agent["capabilities"].pointer(&path).is_some_and(Value::is_object)
    }

    /// Returns the key of a login method's id.
    fn method_id(&self) -> &'static str {
        if self.version == Version::Two { "methodId" } else { "id" }
    }

    /// Returns the first login method without a terminal. An unknown type counts as an agent login.
    pub(crate) fn login(&self) -> Option<String> {
        let methods = self.agent["authMethods"].as_array()?;
        let usable = methods.iter().find(|method| {
            let is_agent_login = match self.version {
                Version::One => method["type"] != "terminal",
                Version::Two => method["type"] == "agent",
            };
            is_agent_login && method[self.method_id()].is_string() && method["name"].is_string()
        });
        usable?[self.method_id()].as_str().map(str::to_owned)
    }

    /// Returns the terminal login of the task.
    fn terminal_login(&self) -> Option<Value> {
        let methods = self.agent["authMethods"].as_array()?;
        let method =
            methods.iter().find(|method| method[self.method_id()] == self.task_value("method"))?;
        let is_usable = method["type"] == "terminal" && method["args"].is_array();
        (is_usable && self.offers("/auth/terminal")).then(
            || json!({"arguments": method["args"], "environment": environment(&method["env"])}),
        )
    }
}

/// Returns the environment of a login as an object. Version 2 lists names and values.
fn environment(env: &Value) -> Value {
    let Some(variables) = env.as_array() else { return env.clone() };
    let pair =
        |variable: &Value| Some((variable["name"].as_str()?.to_owned(), variable["value"].clone()));
    Value::Object(variables.iter().filter_map(pair).collect())
}
