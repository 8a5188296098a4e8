//! Runs the examples as their users do: as processes with pipes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, in its helper functions too"
)]

use serde_json::{Value, json};
use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A running, initialized example. It is killed if the test fails.
struct Example {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    calls: i64,
}

impl Drop for Example {
    fn drop(&mut self) {
        // A process that has ended cannot be killed.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Example {
    /// Starts the example `name`, which stores its sessions in `folder`.
    fn start(name: &str, folder: &Path, args: &[&OsStr]) -> Self {
        // Cargo puts examples next to the folder of this test's program.
        let here = std::env::current_exe().unwrap();
        let program =
            here.parent().and_then(|deps| deps.parent()).unwrap().join("examples").join(name);
        let mut command = Command::new(program);
        command.args(args).env("ATTACHE_STORE", folder.join("sessions.db"));
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) =
            (process.stdin.take(), BufReader::new(process.stdout.take().unwrap()));
        let mut example = Self { process, input, output, calls: 0 };
        let params = json!({"protocolVersion": 1, "clientCapabilities": {"session": {"configOptions": {"boolean": {}}}}});
        let (initialized, _) = example.call("initialize", params);
        assert_eq!(initialized["protocolVersion"], 1);
        example
    }

    /// Calls a method. Returns the result, and the updates before it.
    fn call(&mut self, method: &str, params: Value) -> (Value, Vec<Value>) {
        self.calls += 1;
        let call = json!({"jsonrpc": "2.0", "id": self.calls, "method": method, "params": params});
        writeln!(self.input.as_mut().unwrap(), "{call}").unwrap();
        let mut updates = Vec::new();
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "it has ended");
            let mut message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == self.calls {
                assert!(message.get("error").is_none(), "{method}: {message}");
                return (message["result"].take(), updates);
            }
            updates.push(message["params"]["update"].take());
        }
    }

    fn session(&mut self) -> (String, Value) {
        let (new, _) = self.call("session/new", json!({"cwd": "/", "mcpServers": []}));
        (new["sessionId"].as_str().unwrap().to_owned(), new)
    }

    fn prompt(&mut self, session: &str, text: &str) -> (Value, Vec<Value>) {
        let prompt = json!([{"type": "text", "text": text}]);
        self.call("session/prompt", json!({"sessionId": session, "prompt": prompt}))
    }

    /// Closes the example's input and waits until it ends.
    fn end(mut self) {
        drop(self.input.take());
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "");
        assert!(self.process.wait().unwrap().success());
    }
}

fn texts(updates: &[Value], kind: &str) -> Vec<String> {
    let of_kind = updates.iter().filter(|update| update["sessionUpdate"] == kind);
    of_kind.map(|update| update["content"]["text"].as_str().unwrap().to_owned()).collect()
}

/// Ends a process in the middle of a conversation; another process loads the conversation and
/// continues it.
fn outlives_its_process(start: impl Fn() -> Example, first: &str, second: &str) {
    let mut example = start();
    let (session, _) = example.session();
    let (reply, updates) = example.prompt(&session, "hi");
    assert_eq!(reply["stopReason"], "end_turn");
    assert_eq!(texts(&updates, "agent_message_chunk"), [first]);
    example.end();
    let mut example = start();
    let (listed, _) = example.call("session/list", json!({}));
    assert_eq!(listed["sessions"][0]["sessionId"], session.as_str());
    let params = json!({"sessionId": session, "cwd": "/", "mcpServers": []});
    let (_, replayed) = example.call("session/load", params);
    assert_eq!(texts(&replayed, "user_message_chunk"), ["hi"]);
    assert_eq!(texts(&replayed, "agent_message_chunk"), [first]);
    let (_, updates) = example.prompt(&session, "again");
    assert_eq!(texts(&updates, "agent_message_chunk"), [second], "it remembers");
    let params = json!({"sessionId": session, "cwd": "/", "mcpServers": []});
    let (forked, _) = example.call("session/fork", params);
    assert_ne!(forked["sessionId"], session.as_str());
    example.call("session/delete", json!({"sessionId": session}));
    let (listed, _) = example.call("session/list", json!({}));
    assert_eq!(listed["sessions"].as_array().unwrap().len(), 1);
    assert_eq!(listed["sessions"][0]["sessionId"], forked["sessionId"]);
    example.end();
}

#[test]
fn echo_remembers_across_processes() {
    let folder = tempfile::tempdir().unwrap();
    outlives_its_process(|| Example::start("echo", folder.path(), &[]), "1: hi", "2: again");
}

#[test]
fn the_echo_agent_is_short() {
    let lines = include_str!("../examples/echo.rs").lines();
    let lines = lines.filter(|line| !line.trim().is_empty() && !line.starts_with("//!")).count();
    assert!(lines <= 25, "{lines} lines");
}

#[test]
fn an_own_store_keeps_sessions_across_processes() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = folder.path().join("sessions");
    let start = || Example::start("own_store", folder.path(), &[sessions.as_os_str()]);
    outlives_its_process(
        start,
        "This was prompt 1 of this session.",
        "This was prompt 2 of this session.",
    );
}

#[test]
fn a_line_that_a_crash_cut_short_affects_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let start = || Example::start("own_store", folder.path(), &[folder.path().as_os_str()]);
    let mut example = start();
    let (session, _) = example.session();
    example.prompt(&session, "hi");
    example.end();
    let file = folder.path().join(format!("{session}.jsonl"));
    let mut text = std::fs::read(&file).unwrap();
    text.extend_from_slice(b"{\"cut\":\"sho");
    std::fs::write(&file, text).unwrap();
    let mut example = start();
    example.call("session/resume", json!({"sessionId": session, "cwd": "/"}));
    let (_, updates) = example.prompt(&session, "again");
    assert_eq!(texts(&updates, "agent_message_chunk"), ["This was prompt 2 of this session."]);
    example.end();
}

/// CONF-02, CONF-07.
#[test]
fn the_levels_depend_on_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let mut example = Example::start("dependent_options", folder.path(), &[]);
    let (session, new) = example.session();
    let values = |options: &Value| -> Vec<String> {
        let options = options["configOptions"].as_array().unwrap();
        options.iter().map(|option| option["currentValue"].to_string()).collect()
    };
    assert_eq!(values(&new), [r#""small""#, r#""low""#, "false"]);
    let mut set = |id: &str, value: &str| {
        example
            .call(
                "session/set_config_option",
                json!({"sessionId": session, "configId": id, "value": value}),
            )
            .0
    };
    assert_eq!(
        values(&set("model", "large")),
        [r#""large""#, r#""low""#, "false"],
        "the level still fits"
    );
    assert_eq!(values(&set("level", "high")), [r#""large""#, r#""high""#, "false"]);
    let small = set("model", "small");
    assert_eq!(values(&small), [r#""small""#, r#""low""#, "false"], "it falls back to the default");
    assert_eq!(small["configOptions"][1]["options"].as_array().unwrap().len(), 2);
    let (_, updates) = example.prompt(&session, "Which?");
    assert_eq!(
        texts(&updates, "agent_message_chunk"),
        ["The model small thinks at the level low."]
    );
    example.end();
}

/// INFO-01, INFO-05, USE-04, USE-10.
#[test]
fn a_session_reports_its_title_tags_and_usage() {
    let folder = tempfile::tempdir().unwrap();
    let mut example = Example::start("titles_tags_usage", folder.path(), &[]);
    let (session, _) = example.session();
    let (_, updates) = example.prompt(&session, "Sort the shelves");
    let told = updates.iter().rfind(|update| update["_meta"].is_object()).unwrap();
    assert_eq!(told["_meta"]["attache/labels"]["progress"], json!({"done": 3, "total": 3}));
    assert_eq!(told["_meta"]["attache/labels"]["status"], "step 3");
    let (reply, updates) = example.prompt(&session, "Sort the books");
    assert_eq!(reply["usage"]["totalTokens"], 2000);
    let usage = updates.iter().find(|update| update["sessionUpdate"] == "usage_update").unwrap();
    assert_eq!((&usage["used"], &usage["size"]), (&json!(4000), &json!(8000)));
    assert_eq!(usage["cost"], json!({"amount": 0.02, "currency": "EUR"}));
    let (listed, _) = example.call("session/list", json!({}));
    assert_eq!(listed["sessions"][0]["title"], "Sort the books");
    example.end();
}
