//! `attache agent` with raw lines in both directions: messages and their times.

use crate::processes::Mark;
use attache_check::Observer;
use attache_protocol::method::Side;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A limit that only prevents endless waiting.
const PATIENCE: Duration = Duration::from_secs(30);

/// A line of the agent.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) at: Instant,
    pub(crate) bytes: usize,
    pub(crate) message: Value,
}

/// A running agent. Dropping it kills it.
pub(crate) struct Agent {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Line>,
    last_id: u64,
    /// Judges all messages in both directions.
    observer: Observer,
    judged: usize,
    /// A variable in the environment of the agent and of everything that it starts.
    pub(crate) mark: Mark,
    /// The MCP servers of new sessions.
    pub(crate) servers: Value,
    /// The working directory of its sessions.
    pub(crate) project: TempDir,
    /// The agent's home, which contains its settings and the file of its sessions.
    home: TempDir,
}

impl Agent {
    /// Starts and initializes the agent with a model at this address, or with only the `offline`
    /// model, for a client with these capabilities.
    pub(crate) fn start(model: Option<&str>, client: Value) -> Self {
        Self::start_with(&[], model, client)
    }

    /// Like `start`, with more variables.
    pub(crate) fn start_with(
        variables: &[(&str, &Path)],
        model: Option<&str>,
        client: Value,
    ) -> Self {
        // The home is not in `/tmp`, which bubblewrap hides from commands.
        let (project, home) =
            (tempfile::tempdir().unwrap(), tempfile::tempdir_in("/var/tmp").unwrap());
        let mark = Mark::new();
        let mut agent = Self::spawn(variables, model, mark, project, home);
        let params = json!({ "protocolVersion": 1, "clientCapabilities": client });
        let answer = agent.call("initialize", params);
        assert_eq!(answer["result"]["protocolVersion"], 1, "{answer}");
        agent
    }

    fn spawn(
        variables: &[(&str, &Path)],
        model: Option<&str>,
        mark: Mark,
        project: TempDir,
        home: TempDir,
    ) -> Self {
        // A process that exceeds its file size limit gets a signal, which would end it. A full disk
        // sends no signal, so the agent ignores this one.
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_attache")]);
        command.args(["agent", "--store"]).arg(home.path().join("sessions.db"));
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", home.path()).env(Mark::VARIABLE, mark.value());
        command.envs(variables.iter().copied());
        match model {
            Some(url) => command
                .env("OPENAI_API_KEY", "sk-x")
                .env("OPENAI_BASE_URL", url)
                .env("ATTACHE_TITLES", "off"),
            None => command.env("ATTACHE_MODEL", "offline"),
        };
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (told, lines) = channel();
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let message =
                    serde_json::from_str(&line).unwrap_or_else(|_| panic!("no message: {line}"));
                if told.send(Line { at: Instant::now(), bytes: line.len(), message }).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        Self {
            child,
            stdin,
            lines,
            last_id: 0,
            observer: Observer::default(),
            judged: 0,
            mark,
            servers: json!([]),
            project,
            home,
        }
    }

    /// Kills this process with SIGKILL and starts another one with the same sessions.
    pub(crate) fn killed_and_started_again(mut self, model: Option<&str>) -> Self {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let (project, home) = (
            std::mem::replace(&mut self.project, tempfile::tempdir().unwrap()),
            std::mem::replace(&mut self.home, tempfile::tempdir().unwrap()),
        );
        drop(self);
        let mut agent = Self::spawn(&[], model, Mark::new(), project, home);
        agent.call("initialize", json!({ "protocolVersion": 1, "clientCapabilities": {} }));
        agent
    }

    /// Returns the agent's home, which contains the file of its sessions.
    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Limits the size of the agent's files, as if the disk were full; `None` removes the limit.
    pub(crate) fn largest_file(&self, bytes: Option<u64>) {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        let pid = self.child.id().cast_signed();
        // SAFETY: `limit` lives through the calls; the process is our child.
        unsafe {
            assert_eq!(libc::prlimit(pid, libc::RLIMIT_FSIZE, std::ptr::null(), &raw mut limit), 0);
            limit.rlim_cur = bytes.unwrap_or(limit.rlim_max);
            assert_eq!(
                libc::prlimit(pid, libc::RLIMIT_FSIZE, &raw const limit, std::ptr::null_mut()),
                0
            );
        }
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.judge(Side::Client, message);
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    /// Sends a call and returns its id.
    pub(crate) fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a call and waits for the reply.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.reply(id).message
    }

    /// Opens a session in `mode`.
    pub(crate) fn session(&mut self, mode: &str) -> String {
        let cwd = self.project.path().to_owned();
        let opened = self.call("session/new", json!({ "cwd": cwd, "mcpServers": self.servers }));
        let id =
            opened["result"]["sessionId"].as_str().unwrap_or_else(|| panic!("{opened}")).to_owned();
        self.set_mode(&id, mode);
        id
    }

    pub(crate) fn set_mode(&mut self, session: &str, mode: &str) {
        let set = self.call("session/set_mode", json!({ "sessionId": session, "modeId": mode }));
        assert!(set["error"].is_null(), "{set}");
    }

    /// Sends a prompt and returns the id of the call.
    pub(crate) fn prompt(&mut self, session: &str, text: &str) -> u64 {
        let prompt = json!([{ "type": "text", "text": text }]);
        self.begin("session/prompt", json!({ "sessionId": session, "prompt": prompt }))
    }

    pub(crate) fn cancel(&mut self, session: &str) -> Instant {
        let at = Instant::now();
        self.notify("session/cancel", json!({ "sessionId": session }));
        at
    }

    /// Returns the next line.
    #[track_caller]
    pub(crate) fn line(&mut self) -> Line {
        let line = self.lines.recv_timeout(PATIENCE);
        let line = line.unwrap_or_else(|error| panic!("nothing comes: {error}"));
        self.judge(Side::Agent, &line.message);
        line
    }

    /// Fails if the agent breaks a rule. The observer also sees what the test sends, but faults of
    /// the test itself are ignored.
    #[track_caller]
    fn judge(&mut self, from: Side, message: &Value) {
        self.judged += 1;
        let mut findings = self.observer.line(self.judged, from, message.to_string().as_bytes());
        findings.retain(|finding| finding.by == Side::Agent);
        assert!(findings.is_empty(), "{message} breaks {findings:?}");
    }

    /// Waits for a line that satisfies the condition, and adds earlier lines to `seen`.
    #[track_caller]
    pub(crate) fn until(&mut self, wanted: impl Fn(&Value) -> bool, seen: &mut Vec<Line>) -> Line {
        loop {
            let line = self.line();
            if wanted(&line.message) {
                return line;
            }
            seen.push(line);
        }
    }

    /// Waits for the reply to a call.
    #[track_caller]
    pub(crate) fn reply(&mut self, id: u64) -> Line {
        self.until(|message| is_reply(message, id), &mut Vec::new())
    }

    /// Returns the rest of a prompt's turn: all lines, with the reply last.
    #[track_caller]
    pub(crate) fn turn(&mut self, id: u64) -> Vec<Line> {
        let mut lines = Vec::new();
        let reply = self.until(|message| is_reply(message, id), &mut lines);
        lines.push(reply);
        lines
    }

    /// Waits for the next tool call. Allows the call if the agent asks before it starts the call.
    #[track_caller]
    pub(crate) fn allow(&mut self) {
        let asks = |message: &Value| message["method"] == "session/request_permission";
        let begins = |message: &Value| {
            is_update(message, "tool_call_update") && update(message)["status"] == "in_progress"
        };
        let line = self.until(|message| asks(message) || begins(message), &mut Vec::new());
        if asks(&line.message) {
            let option = &line.message["params"]["options"][0]["optionId"];
            let outcome = json!({ "outcome": { "outcome": "selected", "optionId": option } });
            self.send(&json!({ "jsonrpc": "2.0", "id": line.message["id"], "result": outcome }));
        }
    }

    /// Closes stdin; returns how long the process took to end, and its status.
    pub(crate) fn close(&mut self) -> (Duration, ExitStatus) {
        let begun = Instant::now();
        drop(self.stdin.take());
        while begun.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().unwrap() {
                return (begun.elapsed(), status);
            }
            thread::sleep(Duration::from_millis(1));
        }
        panic!("the agent goes on though its stdin is closed");
    }

    pub(crate) fn path(&self) -> &Path {
        self.project.path()
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn is_reply(message: &Value, id: u64) -> bool {
    message["id"] == id && message["method"].is_null()
}

/// Returns whether a message is an update of this kind.
pub(crate) fn is_update(message: &Value, kind: &str) -> bool {
    message["method"] == "session/update" && message["params"]["update"]["sessionUpdate"] == kind
}

/// Returns the update in a message.
pub(crate) fn update(message: &Value) -> &Value {
    &message["params"]["update"]
}

/// Returns the text of the agent in these lines.
pub(crate) fn said(lines: &[Line]) -> String {
    let chunks = lines.iter().filter(|line| is_update(&line.message, "agent_message_chunk"));
    chunks.filter_map(|line| update(&line.message)["content"]["text"].as_str()).collect()
}

/// Returns the stop reason of a turn, or the error.
pub(crate) fn end(lines: &[Line]) -> String {
    let reply = &lines.last().unwrap().message;
    reply["result"]["stopReason"].as_str().map_or_else(|| reply["error"].to_string(), str::to_owned)
}
