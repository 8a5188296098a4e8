//! The agent as a process, and what its client reads of it to the last byte.

use crate::script::Shown;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Says where the store is, to the agent.
pub(crate) const STORE: &str = "ATTACHE_TEST_STORE";

pub(crate) struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    calls: i64,
    /// So many more lines are read before it is killed.
    moment: Option<u64>,
    killed: bool,
}

impl Drop for Process {
    fn drop(&mut self) {
        // One that has ended cannot be killed.
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

    /// Kills the agent when so many more lines are read; `None` lets it live.
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

    /// Closes its input and waits for its end.
    pub(crate) fn end(mut self) {
        drop(self.input.take());
        assert!(self.read().is_none());
        assert!(self.child.wait().unwrap().success());
    }

    /// The next message, also of those that it wrote before it was killed; `None` at the end.
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
            // What the test harness prints is no message.
            if line.starts_with('{') {
                return Some(serde_json::from_str(&line).unwrap());
            }
        }
    }

    fn write(&mut self, message: &Value) {
        let written = writeln!(self.input.as_mut().unwrap(), "{message}");
        assert!(written.is_ok() || self.killed, "the agent is gone");
    }

    /// Calls, and gives the call's id.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> i64 {
        self.calls += 1;
        let id = self.calls;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Says yes to a permission request.
    pub(crate) fn allow(&mut self, request: &Value) {
        let outcome = json!({"outcome": {"outcome": "selected", "optionId": "yes"}});
        self.write(&json!({"jsonrpc": "2.0", "id": request["id"], "result": outcome}));
    }

    /// Calls, and gives the result; `None` if the agent was killed before.
    pub(crate) fn result(&mut self, method: &str, params: Value) -> Option<Value> {
        self.shown(method, params).map(|(result, _)| result)
    }

    /// The same with what the updates before the result show.
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

/// The result of a reply, which must be one.
pub(crate) fn result(reply: &mut Value) -> Value {
    assert!(reply.get("error").is_none(), "{reply}");
    reply["result"].take()
}
