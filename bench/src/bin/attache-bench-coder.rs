//! Measures the built-in agent as a process: `start none|new|kept`, `first` or `idle`, then
//! `-- PROGRAM…`. It prints one JSON object.
//!
//! `start` starts the agent 50 times and reports the median time until it answers `initialize`,
//! with no store, a new store or an existing store. `first` sends 50 prompts and reports the median
//! time between the first byte from a model on this machine and the line of the agent that contains
//! the model's text. `idle` is the memory of the agent after a turn.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark stops at the first error"
)]

use attache_bench::memory_kb_of;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

const TIMES: usize = 50;

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let split = arguments.iter().position(|argument| argument == "--").unwrap();
    let program = arguments.split_off(split + 1);
    let home = tempfile::tempdir().unwrap();
    let report = match arguments[0].as_str() {
        "start" => json!({"median_ms": start(&program, home.path(), &arguments[1])}),
        "first" => json!({"median_ms": first(&program, home.path())}),
        "idle" => json!({"resident_mb": idle(&program, home.path())}),
        other => panic!("no figure {other}"),
    };
    println!("{report}");
}

fn start(program: &[String], home: &Path, store: &str) -> f64 {
    let mut times = Vec::with_capacity(TIMES);
    // The first of these runs is not measured: it loads the program into memory, and creates the
    // store if every run uses the same one.
    for round in 0..=TIMES {
        let file = match store {
            "none" => store.to_owned(),
            "new" => home.join(format!("{round}.db")).display().to_string(),
            _ => home.join("kept.db").display().to_string(),
        };
        let since = Instant::now();
        let agent = Agent::start(program, home, &file, None);
        times.push(since.elapsed());
        agent.end();
    }
    median(times.split_off(1))
}

fn first(program: &[String], home: &Path) -> f64 {
    let model = Model::start();
    let mut agent = Agent::start(program, home, "none", Some(&model.url));
    let session = agent.session(home);
    let times = (0..=TIMES).map(|_| agent.prompt(&session, &model)).skip(1).collect();
    agent.end();
    median(times)
}

fn idle(program: &[String], home: &Path) -> f64 {
    let model = Model::start();
    let store = home.join("kept.db").display().to_string();
    let mut agent = Agent::start(program, home, &store, Some(&model.url));
    let session = agent.session(home);
    agent.prompt(&session, &model);
    let resident = memory_kb_of(agent.child.id(), "VmRSS:");
    agent.end();
    resident as f64 * 1024.0 / 1e6
}

/// Returns the median in milliseconds.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e3
}

/// A running, initialized agent.
struct Agent {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Agent {
    fn start(program: &[String], home: &Path, store: &str, model: Option<&str>) -> Self {
        let mut command = Command::new(&program[0]);
        command.args(&program[1..]).args(["--store", store]).current_dir(home);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", home);
        if let Some(url) = model {
            command.envs([
                ("OPENAI_API_KEY", "none"),
                ("OPENAI_BASE_URL", url),
                ("ATTACHE_TITLES", "off"),
            ]);
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut agent = Self { child, input, output };
        agent.call("initialize", json!({"protocolVersion": 1}));
        agent
    }

    fn send(&mut self, method: &str, params: Value) {
        let call = json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params});
        self.input.write_all(format!("{call}\n").as_bytes()).unwrap();
    }

    /// Returns the next line that contains `wanted`.
    fn line(&mut self, wanted: &str) -> String {
        let mut line = String::new();
        while !line.contains(wanted) {
            line.clear();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the agent has ended");
        }
        line
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.send(method, params);
        let reply: Value =
            serde_json::from_str(&self.line(&format!("\"id\":\"{method}\""))).unwrap();
        assert!(reply["error"].is_null(), "{reply}");
        reply
    }

    fn session(&mut self, folder: &Path) -> Value {
        self.call("session/new", json!({"cwd": folder, "mcpServers": []}))["result"]["sessionId"]
            .take()
    }

    /// Runs one turn. Returns the time from the model's first byte to the first update.
    fn prompt(&mut self, session: &Value, model: &Model) -> Duration {
        let prompt = [json!({"type": "text", "text": "hello"})];
        self.send("session/prompt", json!({"sessionId": session, "prompt": prompt}));
        self.line("agent_message_chunk");
        let came = Instant::now();
        let said = model.said.recv().unwrap();
        model.go_on.send(()).unwrap();
        let reply = self.line("\"id\":\"session/prompt\"");
        assert!(reply.contains("end_turn"), "{reply}");
        came - said
    }

    /// Closes the agent's stdin and waits until the agent ends.
    fn end(mut self) {
        drop(self.input);
        self.child.wait().unwrap();
    }
}

/// A model that serves the Chat Completions API. It sends its first text and then waits until it
/// may continue.
struct Model {
    url: String,
    /// Receives the time at which the model sent its first byte.
    said: Receiver<Instant>,
    go_on: SyncSender<()>,
}

impl Model {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let ((told, said), (go_on, may)) = (sync_channel(0), sync_channel(0));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                answer(stream, &told, &may);
            }
        });
        Self { url, said, go_on }
    }
}

/// Answers one completion request. Refuses other requests, such as one for the list of models.
fn answer(stream: TcpStream, told: &SyncSender<Instant>, may: &Receiver<()>) {
    let (mut input, mut output) = (BufReader::new(stream.try_clone().unwrap()), stream);
    let (mut head, mut length) = (String::new(), 0);
    while !head.ends_with("\r\n\r\n") {
        if input.read_line(&mut head).unwrap() == 0 {
            return;
        }
        let line = head.lines().last().unwrap_or_default().to_lowercase();
        length =
            line.strip_prefix("content-length: ").map_or(length, |length| length.parse().unwrap());
    }
    input.read_exact(&mut vec![0; length]).unwrap();
    if !head.starts_with("POST") {
        output
            .write_all(b"HTTP/1.1 404 X\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
            .unwrap();
        return;
    }
    output
        .write_all(
            b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/event-stream\r\n\r\n",
        )
        .unwrap();
    let said = Instant::now();
    output
        .write_all(b"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello\"}}]}\n\n")
        .unwrap();
    told.send(said).unwrap();
    may.recv().unwrap();
    let stop = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    output.write_all(stop.as_bytes()).unwrap();
}
