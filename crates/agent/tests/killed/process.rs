//! The agent as a process, whose output the client reads to the last byte.

use crate::script::Shown;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The variable that tells the agent the path of its store.
pub(crate) const STORE: &str = "ATTACHE_TEST_STORE";

pub(crate) struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    calls: i64,
    /// The number of lines to read before the agent is killed.
    moment: Option<u64>,
    killed: bool,
}

impl Drop for Process {
    fn drop(&mut self) {
        // A process that has ended cannot be killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Process {
    pub(crate) fn start(path: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--quiet", "--exact", "agent", "--nocapture"])
            .env(STORE, path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut process = Self { child, input, output, calls: 0, moment: None, killed: false };
        process.result("initialize", json!({"protocolVersion": 1})).unwrap();
        process
    }

    pub(crate) fn is_alive(&self) -> bool {
        !self.killed
    }

    /// Kills the agent after this number of lines; `None` lets it live.
    pub(crate) fn dies_after(&mut self, lines: Option<u64>) {
        self.moment = lines;
    }

    /// Kills the agent now, and waits for it.
    pub(crate) fn kill(mut self) {
        if !self.killed {
            self.child.kill().unwrap();
        }
        let status = self.child.wait().unwrap();
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9), "{status:?}");
    }

    /// Closes the agent's input and waits until it ends.
    pub(crate) fn end(mut self) {
        drop(self.input.take());
        assert!(self.read().is_none());
        assert!(self.child.wait().unwrap().success());
    }

    /// Returns the next message, including messages written before the kill; `None` at the end.
    pub(crate) fn next(&mut self) -> Option<Value> {
        let message = self.read()?;
        self.moment = self.moment.map(|lines| lines.saturating_sub(1));
        if self.moment == Some(0) && !self.killed {
            self.killed = true;
            self.child.kill().unwrap();
        }
        Some(message)
    }

    fn read(&mut self) -> Option<Value> {
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line).unwrap();
            if !line.ends_with('\n') {
                // The end, or a line that was cut off.
                return None;
            }
            // The output of the test harness is not a message.
            if line.starts_with('{') {
                return Some(serde_json::from_str(&line).unwrap());
            }
        }
    }

    fn write(&mut self, message: &Value) {
        let written = writeln!(self.input.as_mut().unwrap(), "{message}");
        assert!(written.is_ok() || self.killed, "the agent is gone");
    }

    /// Calls a method and returns the call's id.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> i64 {
        self.calls += 1;
        let id = self.calls;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Allows a permission request.
    pub(crate) fn allow(&mut self, request: &Value) {
        let outcome = json!({"outcome": {"outcome": "selected", "optionId": "yes"}});
        self.write(&json!({"jsonrpc": "2.0", "id": request["id"], "result": outcome}));
    }

    /// Calls a method and returns the result; `None` if the agent was killed before.
    pub(crate) fn result(&mut self, method: &str, params: Value) -> Option<Value> {
        self.shown(method, params).map(|(result, _)| result)
    }

    /// Calls a method. Returns the result, and the entries that the updates before it show.
    pub(crate) fn shown(&mut self, method: &str, params: Value) -> Option<(Value, Shown)> {
        let id = self.call(method, params);
        let mut shown = Shown::default();
        loop {
            let Some(mut message) = self.next() else {
                assert!(self.killed, "the agent ended in {method}");
                return None;
            };
            if message["method"] == "session/update" {
                shown.update(&message["params"]["update"]);
            } else if message["id"] == id {
                return Some((result(&mut message), shown));
            }
        }
    }
}

/// Returns the result of a message, which must be a reply.
pub(crate) fn result(reply: &mut Value) -> Value {
    assert!(reply.get("error").is_none(), "{reply}");
    reply["result"].take()
}
