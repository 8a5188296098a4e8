//! The sessions that the agent stores.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// The store of sessions, which all agent processes of one run share.
pub(crate) type Kept = Arc<Mutex<Store>>;

/// Every session that was not deleted.
#[derive(Default)]
pub(crate) struct Store {
    pub(super) sessions: BTreeMap<String, Session>,
    /// The counter from which all unique ids are made.
    last_id: u64,
}

/// A session.
#[derive(Default, Clone)]
pub(crate) struct Session {
    pub(crate) cwd: String,
    pub(crate) directories: Vec<String>,
    pub(super) is_listed: bool,
    pub(super) is_archived: bool,
    pub(crate) title: Option<String>,
    /// Its MCP servers.
    pub(super) servers: Vec<Value>,
    /// Its updates from the first prompt on.
    pub(crate) history: Vec<Value>,
    pub(crate) model: String,
    pub(super) is_fast: bool,
    pub(crate) mode: String,
    pub(super) cost: f64,
    /// The last reported usage, or null.
    pub(super) usage: Value,
    /// The permanent decisions about tools, by name.
    pub(super) decided: BTreeMap<String, bool>,
}

impl Session {
    pub(super) fn new(cwd: &str, directories: Vec<String>) -> Self {
        let (model, mode) = ("m1".to_owned(), "ask".to_owned());
        Self { cwd: cwd.to_owned(), directories, model, mode, ..Self::default() }
    }

    /// Whether the conversation contains this text. Text in acts does not count.
    pub(super) fn recalls(&self, text: &str) -> bool {
        let mut known = String::new();
        for update in &self.history {
            let said = update["content"]["text"]
                .as_str()
                .or(update["content"][0]["content"]["text"].as_str());
            known.extend(said.map(|said| said.split("{\"acts\":").next().unwrap_or_default()));
        }
        known.contains(text)
    }

    /// Resolves the path. Returns `None` if it is outside the roots.
    pub(super) fn inside(&self, path: &str) -> Option<String> {
        let path =
            if path.starts_with('/') { path.to_owned() } else { format!("{}/{path}", self.cwd) };
        let mut roots = std::iter::once(&self.cwd).chain(&self.directories);
        let is_inside =
            !path.contains("/../") && roots.any(|root| path.starts_with(&format!("{root}/")));
        is_inside.then_some(path)
    }
}

impl Store {
    /// Returns a new id with this prefix.
    pub(super) fn id(&mut self, kind: &str) -> String {
        self.last_id += 1;
        format!("{kind}{}", self.last_id)
    }

    /// Returns the session with this id.
    pub(super) fn session(&mut self, id: &str) -> &mut Session {
        self.sessions.get_mut(id).unwrap()
    }

    /// Returns the session that `params` name.
    pub(super) fn named(&self, params: &Value) -> Result<String, super::Refusal> {
        let id = params["sessionId"].as_str().ok_or_else(super::invalid)?;
        if self.sessions.contains_key(id) { Ok(id.to_owned()) } else { Err(unknown(id)) }
    }
}

/// Returns the error for an unknown session.
pub(super) fn unknown(id: &str) -> super::Refusal {
    (-32002, json!({"sessionId": id}))
}
