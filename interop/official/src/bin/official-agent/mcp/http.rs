//! Streamable HTTP: each message is a POST, answered with JSON or an event stream that contains the
//! reply.
//!
//! Written by hand as HTTP/1.0, where the end of the connection ends a body; this suffices for
//! servers on this machine.

use agent_client_protocol::v1::schema::McpServerHttp;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{Result, VERSION, outcome};

pub(super) struct Http {
    authority: String,
    path: String,
    headers: Vec<(String, String)>,
    session: Option<String>,
    last: u64,
}

impl Http {
    pub(super) fn new(server: McpServerHttp) -> Result<Self> {
        let rest = server.url.strip_prefix("http://").ok_or("only http: is spoken here")?;
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let headers =
            server.headers.into_iter().map(|header| (header.name, header.value)).collect();
        Ok(Self {
            authority: authority.into(),
            path: format!("/{path}"),
            headers,
            session: None,
            last: 0,
        })
    }

    pub(super) async fn notify(&mut self, method: &str) -> Result<()> {
        self.post(&json!({"jsonrpc": "2.0", "method": method})).await.map(drop)
    }

    pub(super) async fn request(&mut self, method: &str, params: Value) -> Result<Value> {
        self.last += 1;
        let id = self.last;
        let body = self
            .post(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
            .await?;
        // A line of an event stream begins with `data:`; the JSON of a complete body does not.
        let texts: Vec<&str> = body.lines().filter_map(|line| line.strip_prefix("data:")).collect();
        let texts = if texts.is_empty() { vec![body.as_str()] } else { texts };
        let messages =
            texts.into_iter().filter_map(|text| serde_json::from_str::<Value>(text).ok());
        let reply = messages.into_iter().find(|message| message["id"] == id);
        outcome(reply.ok_or("it did not answer")?)
    }

    async fn post(&mut self, message: &Value) -> Result<String> {
        let body = message.to_string();
        let mut head = format!(
            "POST {} HTTP/1.0\r\nhost: {}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\ncontent-length: {}\r\n",
            self.path,
            self.authority,
            body.len()
        );
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        if let Some(session) = &self.session {
            head += &format!("mcp-session-id: {session}\r\nmcp-protocol-version: {VERSION}\r\n");
        }
        let answer =
            self.exchange(&format!("{head}\r\n{body}")).await.map_err(|error| error.to_string())?;
        let (head, body) = answer.split_once("\r\n\r\n").ok_or("it answered no HTTP")?;
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap_or_default();
        if !status.starts_with('2') {
            return Err(format!("it answered {status}"));
        }
        let mut named = lines.filter_map(|line| line.split_once(':'));
        let session = named.find(|(name, _)| name.eq_ignore_ascii_case("mcp-session-id"));
        self.session =
            session.map(|(_, value)| value.trim().to_owned()).or_else(|| self.session.take());
        Ok(body.to_owned())
    }

    async fn exchange(&self, request: &str) -> std::io::Result<String> {
        let mut stream = match self.authority.contains(':') {
            true => TcpStream::connect(&self.authority).await?,
            false => TcpStream::connect((self.authority.as_str(), 80)).await?,
        };
        stream.write_all(request.as_bytes()).await?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }
}
