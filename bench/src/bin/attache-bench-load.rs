//! Loads or resumes a stored session: `read|stall|resume FILE SESSION -- AGENT…`. FILE is the file
//! in which the agent stores its sessions. This program prints one JSON object. With `stall` it
//! pauses after the first update and reads on when the agent's memory no longer grows. With
//! `resume` it resumes the session, without a replay, and runs an empty turn. It does so twice and
//! measures the second resume.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a benchmark stops at the first error"
)]

use attache_bench::{memory_kb_of, stored};
use attache_store::Sqlite;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let split = arguments.iter().position(|argument| argument == "--").unwrap();
    let agent = arguments.split_off(split + 1);
    let (mode, file, session) = (&arguments[0], &arguments[1], &arguments[2]);
    stored::make(&Sqlite::open(file).unwrap(), session);
    if mode == "resume" {
        measure(&agent, mode, session);
    }
    println!("{}", measure(&agent, mode, session));
}

/// Opens the session in a new process, and returns the figures.
fn measure(agent: &[String], mode: &str, session: &str) -> Value {
    let mut child = Command::new(&agent[0])
        .args(&agent[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::with_capacity(1 << 16, child.stdout.take().unwrap());
    let mut line = Vec::new();
    let mut read = |line: &mut Vec<u8>| {
        line.clear();
        assert!(output.read_until(b'\n', line).unwrap() > 0, "the agent has ended");
    };
    let call = |id: u64, method: &str, params: Value| {
        format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    };
    input.write_all(call(1, "initialize", json!({"protocolVersion": 1})).as_bytes()).unwrap();
    read(&mut line);

    let method = if mode == "resume" { "session/resume" } else { "session/load" };
    let load = call(2, method, json!({"sessionId": session, "cwd": "/", "mcpServers": []}));
    let since = Instant::now();
    input.write_all(load.as_bytes()).unwrap();
    read(&mut line);
    let first = since.elapsed();
    if mode == "stall" {
        settle(child.id());
    }
    let mut updates = 0;
    while is_update(&line) {
        updates += 1;
        read(&mut line);
    }
    let whole = since.elapsed();
    let reply: Value = serde_json::from_slice(&line).unwrap();
    assert!(reply["result"].is_object() && (updates > 0 || mode == "resume"), "{reply}");
    let peak = memory_kb_of(child.id(), "VmHWM:");
    if mode == "resume" {
        let prompt = json!([{"type": "text", "text": "0 0"}]);
        let prompt = call(3, "session/prompt", json!({"sessionId": session, "prompt": prompt}));
        input.write_all(prompt.as_bytes()).unwrap();
        while is_update(&line) || !line.ends_with(b"\"end_turn\"}}\n") {
            read(&mut line);
        }
    }
    drop(input);
    child.wait().unwrap();
    json!({
        "first_ms": first.as_secs_f64() * 1e3, "whole_ms": whole.as_secs_f64() * 1e3, "updates": updates,
        "agent_peak_rss_kb": peak,
    })
}

/// Whether the line is an update. A notification names its method in its first bytes, and only
/// updates come before the reply.
fn is_update(line: &[u8]) -> bool {
    let head = &line[..line.len().min(64)];
    head.windows(8).any(|word| word == b"\"method\"")
}

/// Waits until the memory of the agent no longer grows.
fn settle(agent: u32) {
    let (mut last, mut same) = (0, 0);
    while same < 5 {
        std::thread::sleep(Duration::from_millis(100));
        let now = memory_kb_of(agent, "VmRSS:");
        same = if now == last { same + 1 } else { 0 };
        last = now;
    }
}
