//! The measured client: `SCENARIO NUMBERS… -- AGENT…`. It prints one JSON object. Scenarios: rtt N,
//! pipelined N WINDOW, flood N SIZE, startup, idle SECONDS, stall N SIZE.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::panic,
    reason = "a benchmark stops at the first error"
)]

use attache_bench::{Used, memory_kb, runtime, used};
use attache_connection::{Builder, Client, ClientHandler, Peer};
use attache_protocol::Raw;
use attache_protocol::method::{Initialize, SessionNew, SessionPrompt, SessionSetMode};
use attache_protocol::v1::*;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The number of updates that arrive before the measured ones.
const WARM_UP: usize = 500;

#[derive(Default)]
struct Seen {
    updates: AtomicU64,
    bytes: AtomicU64,
}

struct Count {
    seen: Arc<Seen>,
    /// Whether to stop this process at the first measured update, as a debugger would.
    stop: bool,
}

impl Client for Count {
    fn session_update(&mut self, params: SessionNotification, _peer: &Peer) {
        if let SessionUpdate::AgentMessageChunk(chunk) = &params.update {
            let before = self.seen.updates.fetch_add(1, Relaxed);
            if self.stop && before == WARM_UP as u64 {
                // SAFETY: `raise` accesses no memory. It stops this process until another process
                // continues it.
                unsafe { libc::raise(libc::SIGSTOP) };
            }
            self.seen
                .bytes
                .fetch_add(chunk.content.as_text().map_or(0, |text| text.len() as u64), Relaxed);
        }
    }
}

struct Measured {
    since: Instant,
    used: Used,
}

impl Measured {
    fn start() -> Self {
        Self { since: Instant::now(), used: used() }
    }

    fn stop(&self, items: usize) -> Value {
        let (seconds, now, items) = (self.since.elapsed().as_secs_f64(), used(), items as f64);
        json!({
            "secs": seconds, "per_s": items / seconds,
            "client_cpu_us_per_item": (now.cpu_us - self.used.cpu_us) as f64 / items,
            "client_allocs_per_item": (now.allocations - self.used.allocations) as f64 / items,
        })
    }
}

async fn agent_stats(peer: &Peer) -> Value {
    peer.call_extension("_bench/stats", &Raw::from(json!({}))).await.unwrap().parse().unwrap()
}

fn agent_cost(report: &mut Value, before: &Value, after: &Value, items: usize) {
    let difference =
        |key: &str| (after[key].as_f64().unwrap() - before[key].as_f64().unwrap()) / items as f64;
    report["agent_cpu_us_per_item"] = json!(difference("user_us") + difference("sys_us"));
    report["agent_allocs_per_item"] = json!(difference("allocs"));
    report["agent_peak_rss_kb"] = after["peak_rss_kb"].clone();
}

async fn drive(peer: Peer, seen: Arc<Seen>, arguments: Vec<String>, spawned: Instant) {
    peer.call::<Initialize>(&InitializeRequest::new(1u16)).await.unwrap();
    let startup = spawned.elapsed().as_micros() as u64;
    let number = |index: usize| arguments[index].parse::<usize>().unwrap();
    if arguments[0] == "startup" {
        return println!(
            "{}",
            json!({"startup_us": startup, "client_rss_kb": memory_kb("VmRSS:")})
        );
    }
    let session =
        peer.call::<SessionNew>(&NewSessionRequest::new("/", vec![])).await.unwrap().session_id;
    let set_mode = SetSessionModeRequest::new(session.clone(), "code");
    let prompt = |count: usize, size: usize| {
        PromptRequest::new(session.clone(), vec![format!("{count} {size} burst").into()])
    };
    let report = match arguments[0].as_str() {
        "rtt" => {
            let count = number(1);
            for _ in 0..(count / 10).max(100) {
                peer.call::<SessionSetMode>(&set_mode).await.unwrap();
            }
            let before = agent_stats(&peer).await;
            let mut times = Vec::with_capacity(count);
            let measured = Measured::start();
            for _ in 0..count {
                let since = Instant::now();
                peer.call::<SessionSetMode>(&set_mode).await.unwrap();
                times.push(since.elapsed().as_nanos() as u64);
            }
            let mut report = measured.stop(count);
            agent_cost(&mut report, &before, &agent_stats(&peer).await, count);
            times.sort_unstable();
            let microseconds = |at: usize| times[at] as f64 / 1e3;
            let (p50, p99) = (microseconds(count / 2), microseconds(count * 99 / 100));
            report["latency"] = json!({"p50_us": p50, "p99_us": p99});
            report
        }
        "pipelined" => {
            let (count, window) = (number(1), number(2));
            let measured = Measured::start();
            let mut open = std::collections::VecDeque::new();
            for sent in 0..count {
                if sent >= window {
                    let reply: attache_connection::Reply<SetSessionModeResponse> =
                        open.pop_front().unwrap();
                    reply.await.unwrap();
                }
                open.push_back(peer.call::<SessionSetMode>(&set_mode));
            }
            for reply in open {
                reply.await.unwrap();
            }
            measured.stop(count)
        }
        "flood" | "stall" => {
            let (count, size) = (number(1), number(2));
            peer.call::<SessionPrompt>(&prompt(WARM_UP, 32)).await.unwrap();
            let before = agent_stats(&peer).await;
            let measured = Measured::start();
            peer.call::<SessionPrompt>(&prompt(count, size)).await.unwrap();
            let mut report = measured.stop(count);
            agent_cost(&mut report, &before, &agent_stats(&peer).await, count);
            assert_eq!(seen.updates.load(Relaxed), (WARM_UP + count) as u64);
            assert_eq!(seen.bytes.load(Relaxed), (WARM_UP * 32 + count * size) as u64);
            report["payload_mb_s"] =
                json!((count * size) as f64 / 1e6 / report["secs"].as_f64().unwrap());
            report["client_peak_rss_kb"] = json!(memory_kb("VmHWM:"));
            report
        }
        "idle" => {
            let waits = |stats: &Value| stats["waits"].as_u64().unwrap();
            let agent = waits(&agent_stats(&peer).await);
            let before = used();
            // A separate thread sleeps for the idle time. A timer of the runtime would add to the
            // measured CPU time and waits.
            let (done, waiting) = tokio::sync::oneshot::channel();
            let seconds = number(1) as u64;
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_secs(seconds));
                done.send(()).unwrap();
            });
            waiting.await.unwrap();
            let after = used();
            let agent = waits(&agent_stats(&peer).await) - agent;
            // The measurement itself needs some waits, which are subtracted. The client waits for
            // the end of the idle time and its separate thread sleeps; the agent waits for the next
            // request.
            json!({
                "idle_cpu_us": after.cpu_us - before.cpu_us,
                "idle_waits": after.waits - before.waits - 2,
                "agent_idle_waits": agent - 1,
            })
        }
        other => panic!("no scenario {other}"),
    };
    println!("{report}");
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let split = arguments.iter().position(|argument| argument == "--").unwrap();
    let agent = arguments.split_off(split + 1);
    runtime().block_on(async move {
        let spawned = Instant::now();
        let mut child = attache_host::Launch::new(&agent[0]).args(&agent[1..]).start().unwrap();
        let (input, output) = (child.take_stdout().unwrap(), child.take_stdin().unwrap());
        let seen = Arc::<Seen>::default();
        let (peer, connection) = Builder::new().connect(
            input,
            output,
            ClientHandler(Count { seen: seen.clone(), stop: arguments[0] == "stall" }),
        );
        let mut tasks = tokio::task::JoinSet::new();
        tasks.spawn(async move { drop(connection.run().await) });
        // The work runs in a spawned task, as in programs whose main function only waits for such a
        // task.
        tasks.spawn(drive(peer.clone(), seen, arguments, spawned));
        tasks.join_next().await;
        peer.close();
        child.kill();
    });
}
