//! MCP messages as lines over the pipes of a child process.

use std::path::Path;
use std::process::Stdio as Pipe;

use agent_client_protocol::v1::schema::McpServerStdio;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{ChildStdin, ChildStdout, Command};

use super::{Result, outcome};
use official_peers::process::Group;

pub(super) struct Stdio {
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    last: u64,
    _group: Group,
}

impl Stdio {
    pub(super) fn start(server: &McpServerStdio, cwd: &Path) -> Result<Self> {
        let mut command = Command::new(&server.command);
        command.args(&server.args).stdin(Pipe::piped());
        command.envs(server.env.iter().map(|variable| (&variable.name, &variable.value)));
        let mut group = Group::start(&mut command, cwd).map_err(|error| error.to_string())?;
        let pipes = group.child.stdin.take().zip(group.child.stdout.take());
        let (input, output) = pipes.ok_or("it has no pipes")?;
        Ok(Self { input, lines: BufReader::new(output).lines(), last: 0, _group: group })
    }

    async fn write(&mut self, mut message: Value) -> Result<()> {
        message["jsonrpc"] = "2.0".into();
        self.input
            .write_all(format!("{message}\n").as_bytes())
            .await
            .map_err(|error| error.to_string())
    }

    pub(super) async fn notify(&mut self, method: &str) -> Result<()> {
        self.write(json!({"method": method})).await
    }

    /// Sends one request at a time. Requests of the server are answered meanwhile, and its
    /// notifications are ignored.
    pub(super) async fn request(&mut self, method: &str, params: Value) -> Result<Value> {
        self.last += 1;
        let id = self.last;
        self.write(json!({"id": id, "method": method, "params": params})).await?;
        while let Some(line) = self.lines.next_line().await.map_err(|error| error.to_string())? {
            let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
            match (message.get("method"), message.get("id")) {
                (Some(asked), Some(id)) if asked == "ping" => {
                    self.write(json!({"id": id, "result": {}})).await?
                }
                (Some(_), Some(id)) => {
                    let error = json!({"code": -32601, "message": "Method not found"});
                    self.write(json!({"id": id, "error": error})).await?;
                }
                (None, Some(of)) if *of == id => return outcome(message),
                _ => {}
            }
        }
        Err("it ended".into())
    }
}
