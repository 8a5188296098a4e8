//! A client that can send anything: it writes lines and reads lines.

use attache_agent::{Author, Serving, serve};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio::task::JoinSet;

pub(crate) struct Client {
    write: WriteHalf<DuplexStream>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    serving: JoinSet<attache_agent::Result<()>>,
    /// The messages that arrived and were not taken yet, in order.
    pub(crate) seen: Vec<Value>,
    last_id: i64,
}

/// Under a paused clock, this time passes as soon as no task can proceed; it has no other effect.
const STUCK: Duration = Duration::from_secs(3600);

impl Client {
    /// Connects without sending a message.
    pub(crate) fn silent(serving: Serving) -> Self {
        Self::buffered(serving, 1 << 20)
    }

    /// Connects through a transport that holds this number of bytes.
    pub(crate) fn buffered(serving: Serving, bytes: usize) -> Self {
        let (near, far) = tokio::io::duplex(bytes);
        let (input, output) = tokio::io::split(far);
        let mut tasks = JoinSet::new();
        tasks.spawn(serving.over(input, output));
        let (read, write) = tokio::io::split(near);
        Self {
            write,
            lines: BufReader::new(read).lines(),
            serving: tasks,
            seen: Vec::new(),
            last_id: 0,
        }
    }

    /// Connects and initializes with these client capabilities.
    pub(crate) async fn with(author: impl Author, capabilities: Value) -> Self {
        let mut client = Self::silent(serve(author));
        let params = json!({"protocolVersion": 1, "clientCapabilities": capabilities});
        client.result("initialize", params).await;
        client
    }

    /// Connects and initializes without client capabilities.
    pub(crate) async fn plain(author: impl Author) -> Self {
        Self::with(author, json!({})).await
    }

    /// Writes text unchanged.
    pub(crate) async fn write(&mut self, text: &str) {
        self.write.write_all(text.as_bytes()).await.expect("the agent reads");
    }

    /// Writes messages in one write.
    pub(crate) async fn send(&mut self, messages: &[Value]) {
        let text: String = messages.iter().map(|message| format!("{message}\n")).collect();
        self.write(&text).await;
    }

    /// Returns the next message.
    pub(crate) async fn next(&mut self) -> Value {
        if self.seen.is_empty() { self.read().await } else { self.seen.remove(0) }
    }

    async fn read(&mut self) -> Value {
        let line = tokio::time::timeout(STUCK, self.lines.next_line()).await;
        let line =
            line.expect("the agent says something").expect("readable").expect("the agent is there");
        let value: Value = serde_json::from_str(&line).expect("a line is JSON");
        assert_eq!(value["jsonrpc"], "2.0", "{line}");
        value
    }

    /// Returns the reply to the call with this id. Earlier messages stay in `seen`.
    pub(crate) async fn reply(&mut self, id: i64) -> Value {
        let is_it = |message: &Value| message.get("method").is_none() && message["id"] == id;
        if let Some(index) = self.seen.iter().position(is_it) {
            return self.seen.remove(index);
        }
        loop {
            let message = self.read().await;
            if is_it(&message) {
                return message;
            }
            self.seen.push(message);
        }
    }

    /// Returns the next message with this method. Earlier messages stay in `seen`.
    pub(crate) async fn arrives(&mut self, method: &str) -> Value {
        if let Some(index) = self.seen.iter().position(|message| message["method"] == method) {
            return self.seen.remove(index);
        }
        loop {
            let message = self.read().await;
            if message["method"] == method {
                return message;
            }
            self.seen.push(message);
        }
    }

    /// Makes a call's message without sending it.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> (i64, Value) {
        self.last_id += 1;
        (
            self.last_id,
            json!({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}),
        )
    }

    /// Calls a method and returns the call's id.
    pub(crate) async fn start(&mut self, method: &str, params: Value) -> i64 {
        let (id, message) = self.call(method, params);
        self.send(&[message]).await;
        id
    }

    /// Calls a method and returns its result.
    pub(crate) async fn result(&mut self, method: &str, params: Value) -> Value {
        let id = self.start(method, params).await;
        let mut reply = self.reply(id).await;
        assert!(reply.get("error").is_none(), "{method}: {reply}");
        reply["result"].take()
    }

    /// Calls a method and returns its error.
    pub(crate) async fn error(&mut self, method: &str, params: Value) -> Value {
        let id = self.start(method, params).await;
        let mut reply = self.reply(id).await;
        assert!(reply.get("result").is_none(), "{method}: {reply}");
        reply["error"].take()
    }

    /// Opens a new session in this crate's folder.
    pub(crate) async fn session(&mut self) -> String {
        let result = self.result("session/new", new()).await;
        result["sessionId"].as_str().expect("a session id").to_owned()
    }

    /// Starts a prompt of one text.
    pub(crate) async fn prompt(&mut self, session: &str, text: &str) -> i64 {
        self.start("session/prompt", prompt(session, text)).await
    }

    /// Sends a prompt. Returns the reply, and the updates before it.
    pub(crate) async fn turn(&mut self, session: &str, text: &str) -> (Value, Vec<Value>) {
        let id = self.prompt(session, text).await;
        let reply = self.reply(id).await;
        (reply, self.updates())
    }

    /// Takes the updates seen so far.
    pub(crate) fn updates(&mut self) -> Vec<Value> {
        let (updates, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut self.seen)
            .into_iter()
            .partition(|message| message["method"] == "session/update");
        self.seen = rest;
        updates.into_iter().map(|mut message| message["params"]["update"].take()).collect()
    }

    /// Makes a round trip: afterwards `seen` contains everything that the agent queued before it.
    pub(crate) async fn settle(&mut self) {
        self.settle_by("session/list").await;
    }

    /// Makes a round trip with another call.
    pub(crate) async fn settle_by(&mut self, method: &str) {
        self.result(method, json!({})).await;
    }

    /// Closes the client's end and waits until the agent ends.
    pub(crate) async fn hang_up(mut self) -> attache_agent::Result<()> {
        self.write.shutdown().await.expect("closing works");
        drop(self.write);
        let ended = tokio::time::timeout(STUCK, self.serving.join_next()).await;
        ended.expect("the agent ends").expect("it was served").expect("it did not panic")
    }
}

pub(crate) fn new() -> Value {
    json!({"cwd": env!("CARGO_MANIFEST_DIR"), "mcpServers": []})
}

pub(crate) fn prompt(session: &str, text: &str) -> Value {
    json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]})
}

pub(crate) fn cancel(session: &str) -> Value {
    json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}})
}
