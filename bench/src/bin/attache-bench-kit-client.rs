//! The measured client, written with the kit as an author would write it:
//! `flood|stall N SIZE burst -- AGENT…`. It prints one JSON object. With `PROTOCOL=2` in the
//! environment it speaks version 2.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a benchmark stops at the first error"
)]

use attache_bench::{memory_kb, runtime, used};
use attache_client::{AgentProcess, Change, Options, SessionHandle};
use attache_host::Launch;
use attache_protocol::v1::ProtocolVersion;
use serde_json::json;
use std::time::Instant;

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let split = arguments.iter().position(|argument| argument == "--").unwrap();
    let agent = arguments.split_off(split + 1);
    let (count, size) =
        (arguments[1].parse::<usize>().unwrap(), arguments[2].parse::<usize>().unwrap());
    runtime().block_on(async {
        let version = match std::env::var("PROTOCOL").as_deref() {
            Ok("2") => ProtocolVersion::V2,
            _ => ProtocolVersion::V1,
        };
        let launch = Launch::new(&agent[0]).args(&agent[1..]);
        let options = Options::default().protocol(version);
        let process = AgentProcess::launch_with(launch, options).await.unwrap();
        let session = process.open("/").await.unwrap();
        shown(&session, 500, 32, false).await;
        let (before, agent_before, since) = (used(), agent_cpu_us(), Instant::now());
        let bytes = shown(&session, count, size, arguments[0] == "stall").await;
        let (seconds, after, agent_after) = (since.elapsed().as_secs_f64(), used(), agent_cpu_us());
        assert_eq!(bytes, count * size);
        println!(
            "{}",
            json!({
                "secs": seconds, "per_s": count as f64 / seconds,
                "client_cpu_us_per_item": (after.cpu_us - before.cpu_us) as f64 / count as f64,
                "agent_cpu_us_per_item": (agent_after - agent_before) / count as f64,
                "client_allocs_per_item": (after.allocations - before.allocations) as f64 / count as f64,
                "client_peak_rss_kb": memory_kb("VmHWM:"), "agent_peak_rss_kb": agent_peak_kb(),
            })
        );
        process.stop().await;
    });
}

/// Runs a turn as a screen would: reads changes whenever there are any. Returns how many bytes of
/// text it showed.
async fn shown(session: &SessionHandle, count: usize, size: usize, stop: bool) -> usize {
    let mut turn = session.prompt(format!("{count} {size} burst").as_str()).await.unwrap();
    let (mut bytes, mut stop) = (0, stop);
    while let Some(change) = turn.next().await {
        if let Change::Text(text) = change {
            bytes += text.len();
            if std::mem::take(&mut stop) {
                // SAFETY: `raise` accesses no memory. It stops this process until another process
                // continues it, as a debugger would.
                unsafe { libc::raise(libc::SIGSTOP) };
            }
        }
    }
    turn.outcome().await.unwrap();
    bytes
}

/// Returns the process id of the agent, which is the only descendant without children.
fn agent_pid() -> Option<u32> {
    let below = |pid: u32| -> Option<u32> {
        std::fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten().find_map(|task| {
            std::fs::read_to_string(task.path().join("children"))
                .ok()?
                .split_whitespace()
                .next()?
                .parse()
                .ok()
        })
    };
    let mut pid = below(std::process::id())?;
    while let Some(child) = below(pid) {
        pid = child;
    }
    Some(pid)
}

fn agent_cpu_us() -> f64 {
    let stat = agent_pid()
        .and_then(|pid| std::fs::read_to_string(format!("/proc/{pid}/schedstat")).ok())
        .unwrap_or_default();
    stat.split_whitespace().next().and_then(|nanos| nanos.parse::<f64>().ok()).unwrap_or(0.0) / 1e3
}

fn agent_peak_kb() -> u64 {
    let status = agent_pid()
        .and_then(|pid| std::fs::read_to_string(format!("/proc/{pid}/status")).ok())
        .unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
}
