//! An MCP server of the judge: its answers, and its record of the agent.

use crate::json::json;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// The versions of MCP that have the same handshake and tools. A client that requests another
/// version gets the last version in this list.
const VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-11-25", "2025-06-18"];

/// The environment variable that a stdio server must receive.
const VARIABLE: &str = "ATTACHE_CHECK_WORD";
/// The header that requests to an HTTP server must contain.
const HEADER: &str = "X-Attache-Check-Word";

const UNKNOWN_METHOD: i64 = -32601;
const UNKNOWN_TOOL: i64 = -32602;

/// The transport of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    /// The agent starts a program and uses its stdin and stdout.
    Stdio,
    /// Streamable HTTP.
    Http,
    /// The older HTTP transport, with one event stream for all answers.
    Sse,
    /// The ACP connection itself.
    Acp,
}

/// The addresses of the servers.
#[derive(Debug)]
pub(super) struct ServerAddresses {
    /// The program that an agent starts as a stdio server.
    pub(super) command: String,
    /// The arguments of the program before the name of the server.
    pub(super) arguments: Vec<String>,
    /// The part of a URL before the name of the server.
    pub(super) url: String,
}

/// The behavior of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServerBehavior {
    Good,
    /// The server reads but never answers.
    Silent,
    /// The server ends at once.
    Gone,
    /// The server is correct, but its tool never returns.
    Stuck,
}

/// One server.
#[derive(Debug)]
pub(crate) struct McpServer {
    name: String,
    /// The number of the server, which makes its name, its variable and its results unique.
    number: usize,
    transport: Transport,
    manner: ServerBehavior,
    /// The entry of the server in `mcpServers`.
    entry: Value,
    seen: watch::Sender<Seen>,
}

/// What a server has recorded about the agent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Whether an agent started the server or connected to it.
    pub(crate) is_reached: bool,
    /// Whether an agent ever omitted the variable or the header.
    pub(crate) lacks_word: bool,
    pub(crate) is_initialized: bool,
    /// How often an agent sent `initialize`.
    pub(crate) starts: usize,
    /// Whether an agent listed the server's tools.
    pub(crate) is_listed: bool,
    /// The number of calls of the server's tool.
    pub(crate) calls: usize,
}

impl McpServer {
    pub(super) fn new(
        number: usize,
        transport: Transport,
        manner: ServerBehavior,
        place: &ServerAddresses,
    ) -> Self {
        let kind = match manner {
            ServerBehavior::Good => "good",
            ServerBehavior::Silent => "silent",
            ServerBehavior::Gone => "gone",
            ServerBehavior::Stuck => "stuck",
        };
        let name = format!("attache-{kind}-{number}");
        let word = word(number);
        let of_http = |kind: &str| {
            let headers = [json!({"name": HEADER, "value": word})];
            json!({"type": kind, "name": name, "url": format!("{}{name}", place.url), "headers": headers})
        };
        let entry = match transport {
            Transport::Stdio => {
                let arguments: Vec<&str> =
                    place.arguments.iter().map(String::as_str).chain(["--mcp", &name]).collect();
                let environment = [json!({"name": VARIABLE, "value": word})];
                json!({"name": name, "command": place.command, "args": arguments, "env": environment})
            }
            Transport::Http => of_http("http"),
            Transport::Sse => of_http("sse"),
            Transport::Acp => json!({"type": "acp", "name": name, "serverId": name}),
        };
        Self { name, number, transport, manner, entry, seen: watch::Sender::default() }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn transport(&self) -> Transport {
        self.transport
    }

    /// Returns the entry of the server in `mcpServers`.
    pub(crate) fn entry(&self) -> Value {
        self.entry.clone()
    }

    /// Returns the name of the server's tool.
    pub(crate) fn tool(&self) -> String {
        format!("attache_tool_{}", self.number)
    }

    /// Returns the result of the server's tool.
    pub(crate) fn result(&self) -> String {
        format!("attache-result-{}-3817", self.number)
    }

    pub(crate) fn seen(&self) -> Seen {
        *self.seen.borrow()
    }

    /// Waits until the record meets this condition. Returns `false` if that takes longer than
    /// `patience`.
    pub(crate) async fn wait_until(
        &self,
        patience: Duration,
        wanted: impl Fn(&Seen) -> bool,
    ) -> bool {
        let mut seen = self.seen.subscribe();
        let waited = tokio::time::timeout(patience, seen.wait_for(wanted)).await;
        waited.is_ok_and(|seen| seen.is_ok())
    }

    /// Returns the outcome of a request: a result or an error code, or `None` if the server stays
    /// silent.
    pub(crate) fn outcome(&self, method: &str, params: &Value) -> Option<Result<Value, i64>> {
        self.seen.send_modify(|seen| match method {
            "initialize" => {
                seen.is_initialized = true;
                seen.starts += 1;
            }
            "tools/list" => seen.is_listed = true,
            "tools/call" => seen.calls += 1,
            _ => {}
        });
        match (self.manner, method) {
            (ServerBehavior::Silent | ServerBehavior::Gone, _)
            | (ServerBehavior::Stuck, "tools/call") => None,
            _ => Some(self.good_outcome(method, params)),
        }
    }

    fn good_outcome(&self, method: &str, params: &Value) -> Result<Value, i64> {
        let named = |key: &str| params.get(key).and_then(Value::as_str);
        match method {
            "initialize" => {
                let [.., last] = VERSIONS;
                let version = named("protocolVersion")
                    .filter(|asked| VERSIONS.contains(asked))
                    .unwrap_or(last);
                let info = json!({"name": self.name, "version": env!("CARGO_PKG_VERSION")});
                Ok(
                    json!({"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}),
                )
            }
            "ping" => Ok(json!({})),
            "tools/list" => {
                let schema = json!({"type": "object", "properties": {}});
                Ok(json!({"tools": [{
                    "name": self.tool(), "description": "Returns a word.", "inputSchema": schema,
                    "annotations": {"readOnlyHint": true},
                }]}))
            }
            "tools/call" if named("name") == Some(&self.tool()) => {
                Ok(json!({"content": [{"type": "text", "text": self.result()}], "isError": false}))
            }
            "tools/call" => Err(UNKNOWN_TOOL),
            _ => Err(UNKNOWN_METHOD),
        }
    }
}

fn word(number: usize) -> String {
    format!("attache-word-{number}-3817")
}

/// A connection to a server.
#[derive(Debug)]
pub(super) struct ServerConnection(Arc<McpServer>);

impl ServerConnection {
    /// Connects to a server with these variables or headers. Returns `None` if it ends at once.
    pub(super) fn new<'t>(
        server: Arc<McpServer>,
        given: impl IntoIterator<Item = (&'t str, &'t str)>,
    ) -> Option<Self> {
        let (name, word) = match server.transport {
            Transport::Stdio => (VARIABLE, word(server.number)),
            _ => (HEADER, word(server.number)),
        };
        let has_word = given
            .into_iter()
            .any(|(given, value)| given.eq_ignore_ascii_case(name) && value == word);
        server.seen.send_modify(|seen| {
            seen.is_reached = true;
            seen.lacks_word |= !has_word;
        });
        (server.manner != ServerBehavior::Gone).then_some(Self(server))
    }

    /// Returns the answer to a message, or `None` if the message is not a request or the server is
    /// silent.
    pub(super) fn answer(&self, message: &Value) -> Option<Value> {
        let (id, method) = (message.get("id")?, message.get("method")?.as_str()?);
        let params = message.get("params").unwrap_or(&Value::Null);
        let mut answer = json!({"jsonrpc": "2.0", "id": id});
        let (key, value) = match self.0.outcome(method, params)? {
            Ok(result) => ("result", result),
            Err(code) => ("error", json!({"code": code, "message": "unknown method or tool"})),
        };
        answer.as_object_mut()?.insert(key.to_owned(), value);
        Some(answer)
    }
}
