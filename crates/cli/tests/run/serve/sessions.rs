//! Sessions through `attache attach`: two clients at once, the end of a client and of the hub.

use super::hub::Home;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

/// A client of `attache attach` that writes and reads plain messages.
struct Client {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last: u64,
}

impl Client {
    fn start(home: &Home, arguments: &[&str]) -> Self {
        let mut command = home.attache(&[&["attach", "--end-when-idle", "2"], arguments].concat());
        command.env("ATTACHE_STORE", home.path().join("sessions.db"));
        let mut process = command.stdin(Stdio::piped()).spawn().unwrap();
        let (input, output) = (process.stdin.take(), process.stdout.take().unwrap());
        let mut client = Self { process, input, output: BufReader::new(output), last: 0 };
        client.call("initialize", json!({ "protocolVersion": 1, "clientCapabilities": {} }));
        client
    }

    fn send(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let call = json!({
            "jsonrpc": "2.0", "id": self.last, "method": method, "params": params
        });
        writeln!(self.input.as_mut().unwrap(), "{call}").unwrap();
        self.last
    }

    /// Reads until a message is as wanted.
    fn until(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
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
    fn result(&mut self, id: u64) -> Value {
        let reply = self.until(|it| it["id"] == id && it["method"].is_null());
        assert!(reply["error"].is_null(), "{reply}");
        reply["result"].clone()
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.result(id)
    }

    fn open(&mut self, home: &Home) -> String {
        let opened = self.call("session/new", json!({ "cwd": home.path(), "mcpServers": [] }));
        opened["sessionId"].as_str().unwrap().to_owned()
    }

    fn load(&mut self, home: &Home, session: &str) {
        let params = json!({ "sessionId": session, "cwd": home.path(), "mcpServers": [] });
        self.call("session/load", params);
    }

    fn prompt(&mut self, session: &str, text: &str) -> u64 {
        let prompt = json!([{ "type": "text", "text": text }]);
        self.send("session/prompt", json!({ "sessionId": session, "prompt": prompt }))
    }

    /// Closes the input and returns the exit code.
    fn end(mut self) -> Option<i32> {
        self.input = None;
        self.process.wait().unwrap().code()
    }
}

fn is_answer(message: &Value) -> bool {
    message["params"]["update"]["sessionUpdate"] == "agent_message_chunk"
}

#[test]
fn two_clients_share_a_session_and_the_hub_ends_after_the_last_one() {
    let home = Home::new();
    let mut first = Client::start(&home, &[]);
    let session = first.open(&home);
    let mut second = Client::start(&home, &[]);
    second.load(&home, &session);
    assert_eq!(home.status()["clients"], 2);
    let prompt = first.prompt(&session, "help");
    second.until(is_answer);
    assert_eq!(first.result(prompt)["stopReason"], "end_turn");
    assert_eq!(first.end(), Some(0));
    assert_eq!(home.status()["sessions"], 1, "the session outlives its first client");
    assert_eq!(second.end(), Some(0));
    home.until(|status| status["running"] == false);
}

#[test]
fn a_stop_during_a_turn_ends_the_turn_the_clients_and_the_hub() {
    let home = Home::new();
    let mut client = Client::start(&home, &[]);
    let session = client.open(&home);
    client.prompt(&session, "count to 1000");
    client.until(is_answer);
    assert_eq!(home.until(|status| status["running_turns"] == 1)["sessions"], 1);
    let stopped = home.run(&["serve", "stop"]);
    assert_eq!((stopped.code, stopped.stderr.as_str()), (Some(0), ""), "{stopped:?}");
    // The hub has gone, so the client ends although its input is open.
    assert_eq!(client.process.wait().unwrap().code(), Some(4));
    assert_eq!(home.status()["running"], false);
}

#[test]
fn a_restart_waits_for_the_turn_and_says_so() {
    let home = Home::new();
    let mut client = Client::start(&home, &[]);
    let session = client.open(&home);
    let prompt = client.prompt(&session, "count to 15");
    client.until(is_answer);
    let restarting = home.attache(&["serve", "restart"]).spawn().unwrap();
    assert_eq!(client.result(prompt)["stopReason"], "end_turn");
    let restarted = restarting.wait_with_output().unwrap();
    let said = String::from_utf8(restarted.stderr).unwrap();
    assert!(said.contains("Waiting for 1 turn …"), "{said}");
    assert!(restarted.status.success(), "{said}");
    let resumed = home.until(|status| status["sessions"] == 1);
    assert_eq!(resumed["running_turns"], 0, "{resumed}");
    assert_eq!(home.run(&["serve", "stop"]).code, Some(0));
}

#[test]
fn after_kill_9_the_sessions_are_open_and_no_turn_runs() {
    let home = Home::new();
    let mut client = Client::start(&home, &[]);
    let session = client.open(&home);
    client.prompt(&session, "count to 1000");
    client.until(is_answer);
    let pid = home.until(|status| status["running_turns"] == 1)["pid"].as_i64().unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    while !std::fs::read_to_string(home.sessions_file()).is_ok_and(|list| list.contains("\"id\"")) {
        assert!(Instant::now() < deadline, "the open session is not in the list");
        std::thread::yield_now();
    }
    // SAFETY: the hub has just described itself with this number.
    assert_eq!(unsafe { libc::kill(i32::try_from(pid).unwrap(), libc::SIGKILL) }, 0);
    assert_eq!(client.process.wait().unwrap().code(), Some(4));

    let mut client = Client::start(&home, &[]);
    let resumed = home.until(|status| status["sessions"] == 1);
    assert_ne!(resumed["pid"], pid);
    client.load(&home, &session);
    let status = home.status();
    assert_eq!((&status["running_turns"], &status["sessions"]), (&0.into(), &1.into()));
    assert_eq!(home.run(&["serve", "stop"]).code, Some(0));
}
