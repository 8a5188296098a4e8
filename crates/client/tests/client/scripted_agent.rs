//! An agent that sends exactly the messages of a test.

use attache_client::{AgentConnection, Options, SessionHandle, StartError};
use serde_json::{Value, json};
use std::future::Future;
use std::time::Duration;
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};

/// The agent's end of a pair of streams.
pub(crate) struct ScriptedAgent {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    output: WriteHalf<DuplexStream>,
}

/// Waits for a future; fails instead of hanging.
pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), future).await.expect("nothing happened for 20 s")
}

/// A scripted agent, and the client's attempt to connect to it.
pub(crate) fn connecting(
    options: Options,
) -> (ScriptedAgent, impl Future<Output = Result<AgentConnection, StartError>>) {
    let (here, there) = tokio::io::duplex(1 << 16);
    let (input, output) = tokio::io::split(there);
    let agent = ScriptedAgent { lines: BufReader::new(input).lines(), output };
    let (input, output) = tokio::io::split(here);
    (agent, AgentConnection::connect(input, output, options))
}

/// A connection with the handshake done, to an agent with these capabilities.
pub(crate) async fn connected(capabilities: Value) -> (AgentConnection, ScriptedAgent) {
    connected_with(
        Options::default(),
        json!({ "protocolVersion": 1, "agentCapabilities": capabilities }),
    )
    .await
}

pub(crate) async fn connected_with(
    options: Options,
    answer: Value,
) -> (AgentConnection, ScriptedAgent) {
    let (mut agent, connecting) = connecting(options);
    let greeting = async {
        let call = agent.expect("initialize").await;
        agent.reply(&call, answer).await;
    };
    let (connection, ()) = tokio::join!(connecting, greeting);
    (connection.unwrap(), agent)
}

/// An open session `s1` in `folder`, which rejects every permission request.
pub(crate) async fn opened(
    connection: &AgentConnection,
    agent: &mut ScriptedAgent,
    folder: &std::path::Path,
) -> SessionHandle {
    opened_with(connection.open(folder), agent, json!({ "sessionId": "s1" })).await
}

pub(crate) async fn opened_with(
    opening: attache_client::Opening<'_>,
    agent: &mut ScriptedAgent,
    result: Value,
) -> SessionHandle {
    let answering = async {
        let call = agent.expect("session/new").await;
        agent.reply(&call, result).await;
    };
    let (session, ()) = tokio::join!(opening, answering);
    session.unwrap()
}

impl ScriptedAgent {
    /// Returns the next line; `None` once the client has closed the connection.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        let line = soon(self.lines.next_line()).await.unwrap()?;
        Some(serde_json::from_str(&line).unwrap())
    }

    /// Returns the next line, which must be of this method.
    pub(crate) async fn expect(&mut self, method: &str) -> Value {
        let message =
            self.next().await.unwrap_or_else(|| panic!("the client closed before {method}"));
        assert_eq!(message["method"], method, "{message}");
        message
    }

    /// Returns the next line, which must be the reply to call `id`.
    pub(crate) async fn answer_to(&mut self, id: u64) -> Value {
        let message = self.next().await.expect("the client closed before its answer");
        assert_eq!((&message["id"], message.get("method")), (&json!(id), None), "{message}");
        message
    }

    pub(crate) async fn send_text(&mut self, text: &str) {
        self.send_bytes(text.as_bytes()).await;
    }

    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) {
        self.output.write_all(bytes).await.unwrap();
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.send_text(&format!("{message}\n")).await;
    }

    pub(crate) async fn reply(&mut self, call: &Value, result: Value) {
        self.send(json!({ "jsonrpc": "2.0", "id": call["id"], "result": result })).await;
    }

    pub(crate) async fn refuse(&mut self, call: &Value, code: i32, message: &str) {
        self.send(
            json!({ "jsonrpc": "2.0", "id": call["id"], "error": { "code": code, "message": message } }),
        )
        .await;
    }

    pub(crate) async fn call(&mut self, id: u64, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
    }

    /// Waits until the client has processed everything that the agent sent.
    pub(crate) async fn heard(&mut self) {
        self.call(999, "_heard", json!({})).await;
        self.answer_to(999).await;
    }

    pub(crate) async fn update(&mut self, session: &str, update: Value) {
        let params = json!({ "sessionId": session, "update": update });
        self.send(json!({ "jsonrpc": "2.0", "method": "session/update", "params": params })).await;
    }

    pub(crate) async fn say(&mut self, text: &str) {
        self.update(
            "s1",
            json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": text } }),
        )
        .await;
    }
}
