//! The agent that the judge plays for a client: a correct agent, which a probe can change.

use crate::json::json;
use crate::peer::script::{Answer, Script};
use attache_protocol::method::{
    AuthStatus, Authenticate, Initialize, Logout, Method, SessionArchive, SessionClose,
    SessionDelete, SessionFork, SessionList, SessionLoad, SessionNew, SessionPrompt, SessionResume,
    SessionSetConfigOption, SessionSetMode, SessionStatusQuery, SessionUnarchive,
};
use serde_json::Value;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The id of every session that the judge opens when it plays an agent.
pub(crate) const SESSION: &str = "check-session-1";

/// An agent that the judge plays. It answers every call except prompts, which the probe answers.
pub(crate) struct Scenario {
    /// The result of `initialize`.
    initialize: Value,
    /// The result of `session/new`, `session/load`, `session/resume` and `session/fork`, without
    /// the session id.
    opened: Value,
    script: Script,
}

impl fmt::Debug for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scenario").field("initialize", &self.initialize).finish_non_exhaustive()
    }
}

impl Scenario {
    /// Creates an agent that offers all stable capabilities and `session/fork`, and lists one
    /// session in this folder.
    pub(crate) fn everything(cwd: &Path) -> Self {
        let capabilities = json!({
            "loadSession": true,
            "promptCapabilities": {"image": true, "audio": true, "embeddedContext": true},
            "mcpCapabilities": {"http": true, "sse": true},
            "sessionCapabilities": {"list": {}, "delete": {}, "resume": {}, "close": {}, "additionalDirectories": {}, "fork": {}},
            "auth": {"logout": {}},
        });
        Self::offering(capabilities).listing(cwd)
    }

    /// Answers `session/list` with one session in this folder.
    #[must_use]
    pub(crate) fn listing(self, cwd: &Path) -> Self {
        let listed = json!({"sessions": [{"sessionId": SESSION, "cwd": cwd, "title": "Check", "updatedAt": "2026-11-01T10:00:00Z"}]});
        self.on::<SessionList>(move |_| Answer::Result(listed.clone()))
    }

    /// Creates an agent that offers only the mandatory methods.
    pub(crate) fn bare() -> Self {
        Self::offering(json!({}))
    }

    /// Creates an agent with these capabilities.
    pub(crate) fn offering(capabilities: Value) -> Self {
        let info = json!({"name": "attache-check", "version": env!("CARGO_PKG_VERSION")});
        let initialize = json!({"protocolVersion": 1, "agentInfo": info, "agentCapabilities": capabilities, "authMethods": []});
        let nothing = |_: &Value| Answer::Result(json!({}));
        let script = Script::default()
            .on::<Authenticate>(nothing)
            .on::<Logout>(nothing)
            .on::<SessionDelete>(nothing)
            .on::<SessionClose>(nothing)
            .on::<SessionArchive>(nothing)
            .on::<SessionUnarchive>(nothing)
            .on::<SessionSetMode>(nothing)
            .on::<SessionStatusQuery>(|_| Answer::Result(json!({"status": "saved"})))
            .on::<AuthStatus>(|_| Answer::Result(json!({"state": "authenticated"})))
            .on::<SessionPrompt>(|_| Answer::Silence);
        Self { initialize, opened: json!({}), script }
    }

    /// Sets the member of the result of `initialize` at this JSON pointer; null removes it.
    #[must_use]
    pub(crate) fn with(mut self, pointer: &str, value: Value) -> Self {
        put(&mut self.initialize, pointer, value);
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

    /// Returns the answers to a client's calls. Those set with [`on`](Self::on) take precedence.
    pub(crate) fn script(self) -> Script {
        let Self { initialize, opened, script } = self;
        let options =
            Arc::new(Mutex::new(opened.get("configOptions").cloned().unwrap_or(json!([]))));
        let new = {
            let mut opened = opened.clone();
            put(&mut opened, "/sessionId", json!(SESSION));
            move |_: &Value| Answer::Result(opened.clone())
        };
        let known = move |_: &Value| Answer::Result(opened.clone());
        Script::default()
            .on::<Initialize>(move |_| Answer::Result(initialize.clone()))
            .on::<SessionNew>(new.clone())
            .on::<SessionFork>(new)
            .on::<SessionLoad>(known.clone())
            .on::<SessionResume>(known)
            .on::<SessionSetConfigOption>(move |params| set(&options, params))
            .and(script)
    }
}

/// Sets an option and returns all options.
fn set(options: &Mutex<Value>, params: &Value) -> Answer {
    let mut options = options.lock().unwrap_or_else(PoisonError::into_inner);
    let all = options.as_array_mut().map_or(&mut [][..], Vec::as_mut_slice);
    let found = all.iter_mut().find(|option| option.get("id") == params.get("configId"));
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
