//! The agent that the judge plays for a client: a correct agent, which a probe can change.

use crate::client::version_2;
use crate::json::json;
use crate::peer::script::{Answer, Script};
use attache_protocol::method::v2::{AuthLogin, AuthLogout, TerminalCancel, ToolCallCancel};
use attache_protocol::method::{
    AuthStatus, Authenticate, Initialize, Logout, Method, SessionArchive, SessionClose,
    SessionDelete, SessionFork, SessionList, SessionLoad, SessionNew, SessionPrompt, SessionResume,
    SessionSetConfigOption, SessionSetMode, SessionStatusQuery, SessionUnarchive,
    SessionUpdateNotification,
};
use attache_protocol::v1::ProtocolVersion;
use serde_json::Value;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The id of every session that the judge opens when it plays an agent.
pub(crate) const SESSION: &str = "check-session-1";

/// The error code of an agent that does not support the requested version.
const UNSUPPORTED_VERSION: i64 = -32022;

/// An agent that the judge plays. It answers every call except prompts, which the probe answers.
///
/// The same scenario serves connections of both versions. Its changes name members as version 1
/// does, or as version 2 does if only probes of version 2 use it.
pub(crate) struct Scenario {
    capabilities: Capabilities,
    /// The changes of the result of `initialize`: a JSON pointer and a value for each.
    changes: Vec<(String, Value)>,
    /// The result of `session/new`, `session/load`, `session/resume` and `session/fork`, without
    /// the session id, as version 1 defines it.
    opened: Value,
    script: Script,
}

/// The capabilities of an agent.
#[derive(Debug)]
enum Capabilities {
    /// All stable capabilities and `session/fork`.
    Everything,
    /// Only the mandatory methods.
    Bare,
    /// These capabilities, in the form of the connection's version.
    Given(Value),
}

impl Capabilities {
    fn of_version(self, version: ProtocolVersion) -> Value {
        let is_later = version >= ProtocolVersion::V2;
        match self {
            Self::Given(capabilities) => capabilities,
            Self::Bare if is_later => json!({"session": {}}),
            Self::Bare => json!({}),
            Self::Everything if is_later => json!({
                "session": {
                    "prompt": {"image": {}, "audio": {}, "embeddedContext": {}},
                    "mcp": {"stdio": {}, "http": {}},
                    "delete": {}, "additionalDirectories": {}, "fork": {},
                },
            }),
            Self::Everything => json!({
                "loadSession": true,
                "promptCapabilities": {"image": true, "audio": true, "embeddedContext": true},
                "mcpCapabilities": {"http": true, "sse": true},
                "sessionCapabilities": {"list": {}, "delete": {}, "resume": {}, "close": {}, "additionalDirectories": {}, "fork": {}},
                "auth": {"logout": {}},
            }),
        }
    }
}

impl fmt::Debug for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scenario").field("capabilities", &self.capabilities).finish_non_exhaustive()
    }
}

impl Scenario {
    /// Creates an agent that offers all stable capabilities and `session/fork`, and lists one
    /// session in this folder.
    pub(crate) fn everything(cwd: &Path) -> Self {
        Self::with_capabilities(Capabilities::Everything).listing(cwd)
    }

    /// Answers `session/list` with one session in this folder.
    #[must_use]
    pub(crate) fn listing(self, cwd: &Path) -> Self {
        let listed = json!({"sessions": [{"sessionId": SESSION, "cwd": cwd, "title": "Check", "updatedAt": "2026-11-01T10:00:00Z"}]});
        self.on::<SessionList>(move |_| Answer::Result(listed.clone()))
    }

    /// Creates an agent that offers only the mandatory methods.
    pub(crate) fn bare() -> Self {
        Self::with_capabilities(Capabilities::Bare)
    }

    /// Creates an agent with these capabilities.
    pub(crate) fn offering(capabilities: Value) -> Self {
        Self::with_capabilities(Capabilities::Given(capabilities))
    }

    fn with_capabilities(capabilities: Capabilities) -> Self {
        let (changes, opened, script) = (Vec::new(), json!({}), Script::default());
        Self { capabilities, changes, opened, script }
    }

    /// Sets the member of the result of `initialize` at this JSON pointer; null removes it.
    #[must_use]
    pub(crate) fn with(mut self, pointer: &str, value: Value) -> Self {
        self.changes.push((pointer.to_owned(), value));
        self
    }

    /// Sets a member of the results that open a session: `modes` or `configOptions`.
    #[must_use]
    pub(crate) fn opening(mut self, key: &str, value: Value) -> Self {
        put(&mut self.opened, &format!("/{key}"), value);
        self
    }

    /// Answers calls of method `M` with this function instead of the default answer.
    #[must_use]
    pub(crate) fn on<M: Method>(
        mut self,
        answering: impl FnMut(&Value) -> Answer + Send + 'static,
    ) -> Self {
        self.script = self.script.on::<M>(answering);
        self
    }

    /// Returns the answers to a client's calls on a connection of this version. Those set with
    /// [`on`](Self::on) take precedence.
    pub(crate) fn script(self, version: ProtocolVersion) -> Script {
        let is_later = version >= ProtocolVersion::V2;
        let initialize = initialize_result(self.capabilities, &self.changes, version);
        let Self { mut opened, script, .. } = self;
        if is_later {
            version_2::config_options(&mut opened);
        }
        let options =
            Arc::new(Mutex::new(opened.get("configOptions").cloned().unwrap_or(json!([]))));
        let new = {
            let mut opened = opened.clone();
            put(&mut opened, "/sessionId", json!(SESSION));
            move |_: &Value| Answer::Result(opened.clone())
        };
        let known = move |_: &Value| Answer::Result(opened.clone());
        let defaults = default_answers(version)
            .on::<Initialize>(move |params| {
                let requested = params.get("protocolVersion").and_then(Value::as_u64);
                match requested.filter(|requested| is_later && *requested < 2) {
                    Some(requested) => Answer::ErrorWith(
                        UNSUPPORTED_VERSION,
                        json!({"requested": requested, "supported": [2]}),
                    ),
                    None => Answer::Result(initialize.clone()),
                }
            })
            .on::<SessionNew>(new.clone())
            .on::<SessionFork>(new)
            .on::<SessionResume>(known.clone())
            .on::<SessionSetConfigOption>(move |params| set(&options, params));
        if !is_later {
            return defaults.on::<SessionLoad>(known).and(script);
        }
        // In version 2, the reply to `session/resume` follows the state of the session.
        defaults.and(script).preceded::<SessionResume>(|params| {
            let update = json!({"sessionUpdate": "state_update", "state": "idle"});
            let session = params.get("sessionId").cloned().unwrap_or_default();
            let params = json!({"sessionId": session, "update": update});
            json!({"jsonrpc": "2.0", "method": (SessionUpdateNotification::ROW.name), "params": params})
        })
    }
}

/// Returns the answers that depend neither on the capabilities nor on a probe.
fn default_answers(version: ProtocolVersion) -> Script {
    let nothing = |_: &Value| Answer::Result(json!({}));
    let script = Script::default()
        .on::<SessionDelete>(nothing)
        .on::<SessionClose>(nothing)
        .on::<SessionArchive>(nothing)
        .on::<SessionUnarchive>(nothing)
        .on::<SessionStatusQuery>(|_| Answer::Result(json!({"status": "saved"})))
        .on::<AuthStatus>(|_| Answer::Result(json!({"state": "authenticated"})))
        .on::<SessionPrompt>(|_| Answer::Silence);
    if version >= ProtocolVersion::V2 {
        let script = script.on::<AuthLogin>(nothing).on::<AuthLogout>(nothing);
        return script.on::<ToolCallCancel>(nothing).on::<TerminalCancel>(nothing);
    }
    script.on::<Authenticate>(nothing).on::<Logout>(nothing).on::<SessionSetMode>(nothing)
}

/// Returns the result of `initialize` on a connection of this version.
fn initialize_result(
    capabilities: Capabilities,
    changes: &[(String, Value)],
    version: ProtocolVersion,
) -> Value {
    let capabilities = capabilities.of_version(version);
    let info = json!({"name": "attache-check", "version": env!("CARGO_PKG_VERSION")});
    let mut result = match version >= ProtocolVersion::V2 {
        true => {
            json!({"protocolVersion": 2, "info": info, "capabilities": capabilities, "authMethods": []})
        }
        false => {
            json!({"protocolVersion": 1, "agentInfo": info, "agentCapabilities": capabilities, "authMethods": []})
        }
    };
    for (pointer, value) in changes {
        match version >= ProtocolVersion::V2 {
            true => put(&mut result, &version_2::pointer(pointer), value.clone()),
            false => put(&mut result, pointer, value.clone()),
        }
    }
    if version >= ProtocolVersion::V2 {
        version_2::login_methods(&mut result);
    }
    result
}

/// Sets an option and returns all options.
fn set(options: &Mutex<Value>, params: &Value) -> Answer {
    let mut options = options.lock().unwrap_or_else(PoisonError::into_inner);
    let all = options.as_array_mut().map_or(&mut [][..], Vec::as_mut_slice);
    let found = all
        .iter_mut()
        .find(|option| option.get("configId").or(option.get("id")) == params.get("configId"));
    match found.and_then(Value::as_object_mut) {
        Some(option) => {
            option.insert(
                "currentValue".to_owned(),
                params.get("value").cloned().unwrap_or_default(),
            );
            Answer::Result(json!({"configOptions": *options}))
        }
        None => Answer::Error(-32602),
    }
}

/// Sets the member at this JSON pointer and creates missing parents. Null removes the member.
fn put(holder: &mut Value, pointer: &str, value: Value) {
    let mut keys = pointer.split('/').skip(1).peekable();
    let mut place = holder;
    while let Some(key) = keys.next() {
        if !place.is_object() {
            *place = json!({});
        }
        let Value::Object(members) = place else { return };
        if keys.peek().is_none() {
            match value {
                Value::Null => drop(members.remove(key)),
                value => drop(members.insert(key.to_owned(), value)),
            }
            return;
        }
        place = members.entry(key).or_insert(json!({}));
    }
}
