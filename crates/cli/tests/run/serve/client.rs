//! A client of `attache attach`.

use super::hub::Home;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// A client of `attache attach` that writes and reads plain messages.
pub(super) struct Client {
    pub(super) process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last: u64,
}

impl Client {
    pub(super) fn start(home: &Home, arguments: &[&str]) -> Self {
        Self::with_capabilities(home, arguments, json!({}))
    }

    /// Starts a client that has the methods `_attache/*`.
    pub(super) fn extended(home: &Home) -> Self {
        Self::with_capabilities(home, &[], json!({ "_meta": { "attache": { "version": 1 } } }))
    }

    fn with_capabilities(home: &Home, arguments: &[&str], capabilities: Value) -> Self {
        let mut command = home.attache(&[&["attach", "--end-when-idle", "2"], arguments].concat());
        command.env("ATTACHE_STORE", home.path().join("sessions.db"));
        let mut process = command.stdin(Stdio::piped()).spawn().unwrap();
        let (input, output) = (process.stdin.take(), process.stdout.take().unwrap());
        let mut client = Self { process, input, output: BufReader::new(output), last: 0 };
        let about = json!({ "protocolVersion": 1, "clientCapabilities": capabilities });
        client.call("initialize", about);
        client
    }

    pub(super) fn send(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let call = json!({
            "jsonrpc": "2.0", "id": self.last, "method": method, "params": params
        });
        writeln!(self.input.as_mut().unwrap(), "{call}").unwrap();
        self.last
    }

    /// Reads until a message is as wanted.
    pub(super) fn until(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the hub ended");
            let message: Value = serde_json::from_str(&line).unwrap();
            if is_wanted(&message) {
                return message;
            }
        }
    }

    /// Waits for the result of a call.
    pub(super) fn result(&mut self, id: u64) -> Value {
        let reply = self.until(|it| it["id"] == id && it["method"].is_null());
        assert!(reply["error"].is_null(), "{reply}");
        reply["result"].clone()
    }

    pub(super) fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.result(id)
    }

    pub(super) fn open(&mut self, home: &Home) -> String {
        let opened = self.call("session/new", json!({ "cwd": home.path(), "mcpServers": [] }));
        opened["sessionId"].as_str().unwrap().to_owned()
    }

    pub(super) fn load(&mut self, home: &Home, session: &str) {
        let params = json!({ "sessionId": session, "cwd": home.path(), "mcpServers": [] });
        self.call("session/load", params);
    }

    pub(super) fn prompt(&mut self, session: &str, text: &str) -> u64 {
        let prompt = json!([{ "type": "text", "text": text }]);
        self.send("session/prompt", json!({ "sessionId": session, "prompt": prompt }))
    }

    /// Answers a call of the hub.
    pub(super) fn answer(&mut self, call: &Value, result: Value) {
        let answer = json!({ "jsonrpc": "2.0", "id": call["id"], "result": result });
        writeln!(self.input.as_mut().unwrap(), "{answer}").unwrap();
    }

    /// Closes the input and returns the exit code.
    pub(super) fn end(mut self) -> Option<i32> {
        self.input = None;
        self.process.wait().unwrap().code()
    }
}

pub(super) fn is_answer(message: &Value) -> bool {
    message["params"]["update"]["sessionUpdate"] == "agent_message_chunk"
}
