//! A place to test MCP servers: a project, the handwritten server `mcp_server.mjs`, and the traces
//! that it leaves.

use crate::client::{Client, Turn};
use crate::provider::{bodies, chat, chat_at, chat_calls, chat_text, coder};
use crate::server::{Reply, Server};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A project, and next to it a folder for the servers' traces.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(place.project()).unwrap();
        place
    }

    pub(crate) fn project(&self) -> std::path::PathBuf {
        self.folder.path().canonicalize().unwrap().join("project")
    }

    pub(crate) fn beside(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn traces(&self) -> String {
        std::fs::read_to_string(self.beside("traces")).unwrap_or_default()
    }

    /// Waits until the servers have left this trace.
    pub(crate) async fn traced(&self, word: &str) -> String {
        let deadline = Instant::now() + Duration::from_secs(20);
        while !self.traces().contains(word) {
            assert!(Instant::now() < deadline, "no {word} in {}", self.traces());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        self.traces()
    }

    /// The configuration of the handwritten server with this behaviour.
    pub(crate) fn server(&self, name: &str, behaviour: &str) -> Value {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/coder/mcp_server.mjs");
        let (traces, go) = (self.beside("traces"), self.beside("go"));
        let env = [json!({ "name": "KEY", "value": "hush-hush" })];
        json!({ "name": name, "command": "node", "args": [script, behaviour, traces, go], "env": env })
    }

    /// The configuration of a server whose tool `progress` ends once the file `seen` exists.
    pub(crate) fn server_that_waits(&self, name: &str) -> Value {
        let mut server = self.server(name, "plain");
        server["args"][3] = json!(self.beside("seen"));
        server
    }

    /// Sends a prompt without waiting for the response.
    pub(crate) async fn start(&self, client: &mut Client) -> u64 {
        let params =
            json!({ "sessionId": client.session, "prompt": [{ "type": "text", "text": "go" }] });
        client.start("session/prompt", params).await
    }

    /// Opens a session with these servers, and a model that gives these replies.
    pub(crate) async fn open(
        &self,
        servers: &[Value],
        provider: &Server,
        capabilities: Value,
    ) -> Client {
        let author = coder(&chat_at(&provider.url)).mcp_deadline(Duration::from_secs(8));
        self.open_with(author, servers, capabilities).await
    }

    pub(crate) async fn open_with(
        &self,
        author: attache_coder::Coder,
        servers: &[Value],
        capabilities: Value,
    ) -> Client {
        let params = json!({ "cwd": self.project(), "mcpServers": servers });
        Client::serve_author(author, capabilities, params).await
    }

    /// Sends a prompt for which the model calls this tool of the server `hand`, and returns the
    /// outcome. The call is allowed.
    pub(crate) async fn calls(&self, tool: &str, arguments: Value) -> (Turn, Value) {
        let provider =
            Server::start(vec![call(&format!("hand__{tool}"), &arguments), chat_text("done")])
                .await;
        let mut client = self.open(&[self.server("hand", "plain")], &provider, json!({})).await;
        self.traced("listed").await;
        client.choices.push_back("allow_once");
        let turn = client.prompt("go").await;
        (turn, told(&bodies(&provider)[1]))
    }
}

pub(crate) fn call(name: &str, arguments: &Value) -> Reply {
    chat(&[chat_calls(&[("c1", name, &arguments.to_string())])], "tool_calls")
}

/// The last tool result that the model received.
pub(crate) fn told(body: &Value) -> Value {
    let messages = body["messages"].as_array().unwrap();
    messages.iter().rfind(|message| message["role"] == "tool").unwrap().clone()
}

pub(crate) fn thoughts(turn: &Turn) -> String {
    turn.all("agent_thought_chunk")
        .iter()
        .map(|each| each["content"]["text"].as_str().unwrap())
        .collect()
}

pub(crate) fn offered(body: &Value) -> Vec<&str> {
    let names = body["tools"].as_array().unwrap().iter();
    names
        .map(|tool| tool["function"]["name"].as_str().unwrap())
        .filter(|name| name.contains("__"))
        .collect()
}

/// The texts of the messages that tell the state of the session.
pub(crate) fn state(body: &Value) -> String {
    let messages = body["messages"].as_array().unwrap().iter();
    let texts = messages.flat_map(|message| match &message["content"] {
        Value::String(text) => vec![text.clone()],
        parts => {
            let parts = parts.as_array().into_iter().flatten();
            parts.filter_map(|part| part["text"].as_str().map(str::to_owned)).collect()
        }
    });
    texts.filter(|text| text.contains("[Attaché ")).collect()
}

/// Whether a process with this id runs and is not a zombie.
pub(crate) fn lives(traces: &str) -> bool {
    let id = traces.lines().find_map(|line| line.strip_prefix("pid ")).unwrap();
    let status =
        std::fs::read_to_string(Path::new("/proc").join(id).join("stat")).unwrap_or_default();
    !status.is_empty() && !status.contains(") Z ")
}
