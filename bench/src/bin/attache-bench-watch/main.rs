//! Measures the way of updates from an agent to the watchers of its session, through a shared hub
//! or through a relay of WebSockets.
//!
//! `attache-bench-watch rows|acp|relay SESSIONS STREAMING WATCHERS RATE SECONDS [-- ATTACHE]` opens
//! SESSIONS sessions, connects WATCHERS WebSockets, and lets STREAMING sessions stream RATE updates
//! a second each. With `rows` the watchers use the methods of the page, with `acp` they are ACP
//! clients. It prints one JSON object. The CPU and memory are those of the hub or the relay.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a benchmark stops at the first error"
)]

mod hub;
mod relay;
mod socket;
mod watcher;

use attache_bench::{cpu_s_of, memory_kb_of};
use serde_json::{Value, json};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::process::Command;
use tokio::task::JoinSet;
use watcher::Watcher;

/// How long the server may take to become idle before the agents stream.
const SETTLING: Duration = Duration::from_secs(1);

/// The amount of work of a run.
#[derive(Debug, Clone, Copy)]
struct Load {
    sessions: usize,
    /// The first sessions, which stream.
    streaming: usize,
    watchers: usize,
    /// Updates a second of each session that streams.
    rate: usize,
    seconds: usize,
}

/// What copies updates of agents to watchers.
trait Server {
    /// The process whose CPU time and memory are measured.
    fn process(&self) -> u32;

    /// Connects a watcher of a session.
    async fn watcher(&mut self, number: usize, session: usize) -> Watcher;

    /// Lets the sessions stream.
    async fn stream(&mut self, load: Load);
}

#[tokio::main]
async fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| words[index].parse().unwrap();
    if words[0] == "relay-server" {
        return relay::serve(number(1), number(2), number(3)).await;
    }
    let load = Load {
        sessions: number(1),
        streaming: number(2),
        watchers: number(3),
        rate: number(4),
        seconds: number(5),
    };
    let report = match words[0].as_str() {
        "relay" => measure(relay::Relay::start(load).await, load).await,
        "rows" => measure(hub::Hub::start(&words[7], load, hub::Kind::Rows).await, load).await,
        "acp" => measure(hub::Hub::start(&words[7], load, hub::Kind::Acp).await, load).await,
        other => panic!("no server {other}"),
    };
    println!("{report}");
}

/// Returns the report of a run.
async fn measure(mut server: impl Server, load: Load) -> Value {
    let mut watching = JoinSet::new();
    for number in 0..load.watchers {
        let watcher = server.watcher(number, number % load.streaming).await;
        watching.spawn(watcher.latencies());
    }
    tokio::time::sleep(SETTLING).await;
    let process = server.process();
    let (since, cpu) = (Instant::now(), cpu_s_of(process));
    server.stream(load).await;
    let mut all: Vec<u32> = watching.join_all().await.concat();
    let (took, cpu) = (since.elapsed().as_secs_f64(), cpu_s_of(process) - cpu);
    assert_eq!(all.len(), load.watchers * load.rate * load.seconds, "updates were lost");
    all.sort_unstable();
    let ms = |share: usize| f64::from(all[(all.len() - 1) * share / 100]) / 1e3;
    json!({
        "p50_ms": ms(50), "p99_ms": ms(99), "cpu_percent": cpu / took * 100.0,
        "memory_mb": memory_kb_of(process, "VmHWM:") as f64 * 1024.0 / 1e6,
    })
}

/// Returns a command that is ended with this program. Its standard input and output are pipes.
fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    command
}

/// The command line of the agent, which is beside this program.
fn agent() -> String {
    let own = std::env::current_exe().unwrap();
    own.with_file_name("attache-bench-screen-agent").display().to_string()
}

/// The prompt that lets the agent stream.
fn prompt(rate: usize, seconds: usize) -> Value {
    json!([{ "type": "text", "text": format!("stamp {rate} {seconds}") }])
}
