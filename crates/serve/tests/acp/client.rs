//! A client that sends exactly the messages of a test.

use crate::scripted_agent::soon;
use serde_json::{Value, json};
use std::collections::VecDeque;
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};

/// One end of a connection to the hub.
pub(crate) struct Client {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    output: WriteHalf<DuplexStream>,
    last: u64,
    /// Messages that were read before they were asked for.
    earlier: VecDeque<Value>,
}

impl Client {
    pub(crate) fn new(stream: DuplexStream) -> Self {
        let (input, output) = tokio::io::split(stream);
        let lines = BufReader::new(input).lines();
        Self { lines, output, last: 0, earlier: VecDeque::new() }
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.output.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    /// Sends a call and returns its id.
    pub(crate) async fn start(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let id = self.last;
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        id
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params })).await;
    }

    /// Returns the next message for which `wanted` holds. Other messages are kept.
    pub(crate) async fn find(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(found) = self.earlier.iter().position(&wanted) {
            return self.earlier.remove(found).unwrap();
        }
        loop {
            let line = match tokio::time::timeout(
                std::time::Duration::from_secs(20),
                self.lines.next_line(),
            )
            .await
            {
                Ok(line) => line.unwrap().expect("the hub closed the connection"),
                Err(_) => panic!("nothing came for 20 s after {:#?}", self.earlier),
            };
            let message: Value = serde_json::from_str(&line).unwrap();
            if wanted(&message) {
                return message;
            }
            self.earlier.push_back(message);
        }
    }

    /// Returns the reply to a call.
    pub(crate) async fn reply(&mut self, id: u64) -> Value {
        self.find(|message| message["id"] == id && message.get("method").is_none()).await
    }

    /// Returns the result of a call, which must succeed.
    pub(crate) async fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.start(method, params).await;
        let mut reply = self.reply(id).await;
        assert!(reply.get("error").is_none(), "{method}: {reply}");
        reply["result"].take()
    }

    /// Returns the message of the error of a call, which must fail.
    pub(crate) async fn refused(&mut self, method: &str, params: Value) -> String {
        let id = self.start(method, params).await;
        let reply = self.reply(id).await;
        reply["error"]["message"].as_str().unwrap_or_else(|| panic!("{reply}")).to_owned()
    }

    /// Returns the next call of this method from the hub.
    pub(crate) async fn asked(&mut self, method: &str) -> Value {
        self.find(|message| message["method"] == method).await
    }

    pub(crate) async fn answer(&mut self, call: &Value, result: Value) {
        self.send(json!({ "jsonrpc": "2.0", "id": call["id"], "result": result })).await;
    }

    /// Returns the next update of this kind.
    pub(crate) async fn update(&mut self, kind: &str) -> Value {
        let is_wanted = |message: &Value| message["params"]["update"]["sessionUpdate"] == kind;
        self.find(is_wanted).await["params"]["update"].clone()
    }

    /// Returns the text of the next chunks of this kind, until they have this text.
    pub(crate) async fn hear(&mut self, kind: &str, wanted: &str) {
        let mut text = String::new();
        while text != wanted {
            text += self.update(kind).await["content"]["text"].as_str().unwrap();
            assert!(wanted.starts_with(&text), "{text:?} instead of {wanted:?}");
        }
    }

    /// Reads until a message contains this text. Returns how many bytes were read.
    pub(crate) async fn read_until(&mut self, text: &str) -> usize {
        let mut size = 0;
        loop {
            let line = soon(self.lines.next_line()).await.unwrap();
            let line = line.expect("the hub closed the connection");
            size += line.len();
            if line.contains(text) {
                return size;
            }
        }
    }

    /// Waits until the hub has closed the connection.
    pub(crate) async fn closed(&mut self) {
        while soon(self.lines.next_line()).await.ok().flatten().is_some() {}
    }

    /// Whether a message that was read before has this method.
    pub(crate) fn has_seen(&self, method: &str) -> bool {
        self.earlier.iter().any(|message| message["method"] == method)
    }

    /// Whether an update of this kind was read before.
    pub(crate) fn has_update(&self, kind: &str) -> bool {
        self.earlier.iter().any(|it| it["params"]["update"]["sessionUpdate"] == kind)
    }

    /// Asks something and waits for the answer, so that everything that the hub sent before is
    /// read.
    pub(crate) async fn settle(&mut self) {
        let id = self.start("_attache_test/none", json!({})).await;
        self.reply(id).await;
    }
}
