//! Opens, reopens and closes sessions.

use super::mcp;
use super::store::{Session, unknown};
use super::{Correct, Refusal, invalid};
use serde_json::{Value, json};

/// The params shared by all methods that open a session.
struct Opening {
    cwd: String,
    directories: Vec<String>,
    servers: Vec<Value>,
}

impl Opening {
    fn read(params: &Value, needs_servers: bool) -> Result<Self, Refusal> {
        let cwd = params["cwd"].as_str().filter(|cwd| cwd.starts_with('/')).ok_or_else(invalid)?;
        if needs_servers && params.get("mcpServers").is_none() {
            return Err(invalid());
        }
        let servers = list_or_null(&params["mcpServers"])?;
        if !servers.iter().all(mcp::is_server) {
            return Err(invalid());
        }
        let path =
            |path: &Value| path.as_str().filter(|path| path.starts_with('/')).map(str::to_owned);
        let directories = list_or_null(&params["additionalDirectories"])?.iter().map(path);
        if !params["systemPrompt"].is_null() {
            let blocks = params["systemPrompt"]["content"].as_array().ok_or_else(invalid)?;
            if params["systemPrompt"]["mode"] != "append"
                || blocks.iter().any(|block| block["type"] != "text")
            {
                return Err(invalid());
            }
        }
        let directories = directories.collect::<Option<_>>().ok_or_else(invalid)?;
        Ok(Self { cwd: cwd.to_owned(), directories, servers: servers.to_vec() })
    }
}

pub(super) fn list_or_null(value: &Value) -> Result<&[Value], Refusal> {
    if value.is_null() { Ok(&[]) } else { value.as_array().map(Vec::as_slice).ok_or_else(invalid) }
}

impl Correct {
    /// Returns the session that `params` name, if it is open on this connection.
    pub(super) fn opened(&self, params: &Value) -> Result<String, Refusal> {
        let id = self.store.named(params)?;
        if self.open.contains(&id) { Ok(id) } else { Err(unknown(&id)) }
    }

    pub(super) fn new_session(&mut self, params: &Value) -> Result<Value, Refusal> {
        let opening = Opening::read(params, true)?;
        let servers = list_or_null(&params["mcpServers"])?;
        let mut commands = servers.iter().filter_map(|server| server["command"].as_str());
        self.is_server_missing = commands.any(|command| !std::path::Path::new(command).exists());
        let mut session = Session::new(&opening.cwd, opening.directories);
        session.servers.clone_from(&opening.servers);
        Ok(self.begin_session(session, &opening.servers))
    }

    /// Forks the session.
    pub(super) fn fork(&mut self, params: &Value) -> Result<Value, Refusal> {
        let id = self.store.named(params)?;
        let Opening { cwd, directories, servers } = Opening::read(params, false)?;
        let session = Session { cwd, directories, ..self.store.session(&id).clone() };
        Ok(self.begin_session(session, &servers))
    }

    fn begin_session(&mut self, session: Session, servers: &[Value]) -> Value {
        let id = self.store.id("s");
        self.store.sessions.insert(id.clone(), session);
        self.open.push(id.clone());
        self.new = Some(id.clone());
        self.open_servers(&id, servers);
        let mut result = self.state(&id);
        result["sessionId"] = json!(id);
        result
    }

    /// Reopens a session and replays its history.
    pub(super) fn load(&mut self, params: &Value) -> Result<Value, Refusal> {
        let id = self.store.named(params)?;
        let opening = Opening::read(params, true)?;
        let session = self.store.session(&id);
        let usage = Some(session.usage.clone()).filter(|usage| !usage.is_null());
        let history = session.history.clone();
        let result = self.open_again(&id, opening);
        for update in history.into_iter().chain(usage) {
            let params = json!({"sessionId": id, "update": update});
            self.said.push(json!({"jsonrpc": "2.0", "method": "session/update", "params": params}));
        }
        Ok(result)
    }

    pub(super) fn resume(&mut self, params: &Value) -> Result<Value, Refusal> {
        let id = self.store.named(params)?;
        Ok(self.open_again(&id, Opening::read(params, false)?))
    }

    fn open_again(&mut self, id: &str, opening: Opening) -> Value {
        if !self.open.iter().any(|open| open == id) {
            self.open.push(id.to_owned());
        }
        let mut servers = opening.servers;
        if self.restores_servers {
            servers.extend(self.store.session(id).servers.clone());
        }
        self.open_servers(id, &servers);
        let session = self.store.session(id);
        (session.cwd, session.directories) = (opening.cwd, opening.directories);
        self.state(id)
    }

    pub(super) fn close(&mut self, params: &Value) -> Result<Value, Refusal> {
        let id = self.opened(params)?;
        self.cancel(&id);
        self.open.retain(|open| *open != id);
        Ok(json!({}))
    }

    pub(super) fn delete(&mut self, params: &Value) -> Result<Value, Refusal> {
        let id = params["sessionId"].as_str().ok_or_else(invalid)?;
        self.cancel(id);
        self.open.retain(|open| open != id);
        self.store.sessions.remove(id);
        self.deleted = Some(id.to_owned());
        Ok(json!({}))
    }
}
