//! The official Rust SDK's client of the speed table. Prints one JSON object.
//!
//! Usage: `official-bench-client acpagent|tokiochild SCENARIO … -- COMMAND ARGS…`. `acpagent` uses
//! the SDK's own child process, `tokiochild` a child process of tokio with the SDK's byte streams,
//! its fastest setup. `RT=multi` selects the runtime of `#[tokio::main]`. Scenarios: `startup`,
//! `idle SECONDS`, `rtt N`, `pipelined N WINDOW`, `flood N SIZE burst|yield`, and `stall N SIZE`,
//! in which this process stops itself at the first update and continues when the runner sends
//! SIGCONT.

use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    ContentBlock, InitializeRequest, NewSessionRequest, PromptRequest, SessionId,
    SessionNotification, SessionUpdate, SetSessionModeRequest,
};
use agent_client_protocol::{
    AcpAgent, AcpAgentConfig, Agent, ByteStreams, Client, ConnectTo, Error, Result,
    on_receive_notification,
};
use bench_peers::process;
use bench_peers::span::{Span, percentiles};
use bench_peers::stats::{Stats, StatsRequest};
use futures::stream::{StreamExt, TryStreamExt};
use serde_json::{Value, json};
use tokio_util::compat::{TokioAsyncReadCompatExt, TokioAsyncWriteCompatExt};

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1).collect::<Vec<_>>();
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let command = words.split_off(end).into_iter().skip(1).collect::<Vec<_>>();
    let (Some((transport, scenario)), Some((program, arguments))) =
        (words.split_first(), command.split_first())
    else {
        return Err(Error::invalid_params().data("usage: TRANSPORT SCENARIO … -- COMMAND ARGS…"));
    };
    let scenario = scenario.to_vec();
    let report = bench_peers::runtime::from_environment().block_on(async {
        let start = Instant::now();
        if transport == "acpagent" {
            let agent = AcpAgent::new(AcpAgentConfig::new(program).args(arguments.iter().cloned()));
            return connect(agent, scenario, start).await;
        }
        let mut command = tokio::process::Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().map_err(Error::into_internal_error)?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or_else(Error::internal_error)?;
        connect(ByteStreams::new(input.compat_write(), output.compat()), scenario, start).await
    })?;
    println!("{report}");
    Ok(())
}

/// The updates that the handler received.
#[derive(Default)]
struct Received {
    updates: AtomicU64,
    bytes: AtomicU64,
    /// Whether to stop this process at the next update.
    stop: AtomicBool,
}

impl Received {
    fn take(&self, notification: &SessionNotification) {
        self.updates.fetch_add(1, Relaxed);
        if let SessionUpdate::AgentMessageChunk(chunk) = &notification.update
            && let ContentBlock::Text(text) = &chunk.content
        {
            self.bytes.fetch_add(text.text.len() as u64, Relaxed);
        }
        if self.stop.swap(false, Relaxed) {
            process::stop();
        }
    }
}

async fn connect(
    transport: impl ConnectTo<Client> + 'static,
    scenario: Vec<String>,
    start: Instant,
) -> Result<Value> {
    let received = Arc::new(Received::default());
    let handler = received.clone();
    Client
        .v1()
        .name("official-bench-client")
        .on_receive_notification(
            async move |notification: SessionNotification, _agent| {
                handler.take(&notification);
                Ok(())
            },
            on_receive_notification!(),
        )
        .connect_with(transport, async move |agent: ConnectionTo<Agent>| {
            agent.send_request(InitializeRequest::new(ProtocolVersion::V1)).block_task().await?;
            let startup_us = start.elapsed().as_micros() as u64;
            if scenario.first().is_some_and(|name| name == "startup") {
                return Ok(json!({"startup_us": startup_us, "client_rss_kb": process::rss_kb()}));
            }
            let session =
                agent.send_request(NewSessionRequest::new("/")).block_task().await?.session_id;
            Work { agent, session, received }.run(&scenario).await
        })
        .await
}

struct Work {
    agent: ConnectionTo<Agent>,
    session: SessionId,
    received: Arc<Received>,
}

impl Work {
    async fn run(&self, scenario: &[String]) -> Result<Value> {
        let words = scenario.iter().map(String::as_str).collect::<Vec<_>>();
        let number = |word: &str| word.parse::<usize>().map_err(Error::into_internal_error);
        match words.as_slice() {
            ["idle", seconds] => Ok(idle(number(seconds)? as u64).await),
            ["rtt", count] => self.rtt(number(count)?).await,
            ["pipelined", count, window] => self.pipelined(number(count)?, number(window)?).await,
            ["flood", count, size, mode] => {
                self.flood(number(count)?, number(size)?, mode, false).await
            }
            ["stall", count, size] => {
                self.flood(number(count)?, number(size)?, "burst", true).await
            }
            _ => Err(Error::invalid_params().data(format!("unknown scenario {words:?}"))),
        }
    }

    async fn set_mode(&self) -> Result<()> {
        let request = SetSessionModeRequest::new(self.session.clone(), "code");
        self.agent.send_request(request).block_task().await.map(drop)
    }

    async fn prompt(&self, text: String) -> Result<()> {
        let request = PromptRequest::new(self.session.clone(), vec![text.into()]);
        self.agent.send_request(request).block_task().await.map(drop)
    }

    async fn stats(&self) -> Result<Stats> {
        self.agent.send_request(StatsRequest {}).block_task().await
    }

    async fn rtt(&self, count: usize) -> Result<Value> {
        for _ in 0..(count / 10).max(100) {
            self.set_mode().await?;
        }
        let before = self.stats().await?;
        let mut latencies = Vec::with_capacity(count);
        let span = Span::begin();
        for _ in 0..count {
            let sent = Instant::now();
            self.set_mode().await?;
            latencies.push(sent.elapsed().as_nanos() as u64);
        }
        let mut report = span.end(count);
        report["latency"] = percentiles(latencies);
        self.stats().await?.add_since(&before, count, &mut report);
        Ok(report)
    }

    async fn pipelined(&self, count: usize, window: usize) -> Result<Value> {
        let span = Span::begin();
        let calls = futures::stream::iter(0..count).map(|_| self.set_mode());
        calls.buffer_unordered(window).try_for_each(|()| std::future::ready(Ok(()))).await?;
        Ok(span.end(count))
    }

    async fn flood(&self, count: usize, size: usize, mode: &str, stall: bool) -> Result<Value> {
        self.prompt("500 32 burst".into()).await?;
        self.received.updates.store(0, Relaxed);
        self.received.bytes.store(0, Relaxed);
        self.received.stop.store(stall, Relaxed);
        let client_rss_before_kb = process::rss_kb();
        process::reset_peak();
        let before = self.stats().await?;
        let span = Span::begin();
        self.prompt(format!("{count} {size} {mode}")).await?;
        let mut report = span.end(count);
        let after = self.stats().await?;
        let expected = (count as u64, (count * size) as u64);
        let received = (self.received.updates.load(Relaxed), self.received.bytes.load(Relaxed));
        if received != expected {
            let reason = format!("{expected:?} updates and bytes were sent, {received:?} arrived");
            return Err(Error::internal_error().data(reason));
        }
        let seconds = report["secs"].as_f64().unwrap_or(f64::NAN);
        report["payload_mb_s"] = json!((count * size) as f64 / 1e6 / seconds);
        report["client_rss_before_kb"] = json!(client_rss_before_kb);
        report["client_peak_rss_kb"] = json!(process::peak_rss_kb());
        after.add_since(&before, count, &mut report);
        Ok(report)
    }
}

async fn idle(seconds: u64) -> Value {
    let before = process::usage();
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    process::idle_since(before)
}
