//! The client's side: updates are decoded into borrowed structs; for replies, only the result is
//! decoded.

use std::borrow::Cow;
use std::io::{Error, Result, Write};
use std::os::fd::AsRawFd;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use bench_peers::process;
use bench_peers::span::{Span, percentiles};
use bench_peers::stats::Stats;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::lines::Lines;

#[derive(Deserialize)]
struct Update<'a> {
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    params: Params<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    #[serde(borrow)]
    session_id: Cow<'a, str>,
    #[serde(borrow)]
    update: Chunk<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chunk<'a> {
    #[serde(borrow)]
    session_update: Cow<'a, str>,
    #[serde(borrow)]
    content: Content<'a>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Reply<'a> {
    id: u64,
    #[serde(borrow)]
    result: &'a RawValue,
}

struct Peer {
    output: ChildStdin,
    input: Lines<ChildStdout>,
    calls: u64,
    updates: usize,
    bytes: usize,
    /// Whether to stop this process at the next update.
    stop: bool,
    out: Vec<u8>,
}

impl Peer {
    fn send(&mut self, method: &str, params: &str) -> Result<()> {
        self.calls += 1;
        self.out.clear();
        let id = self.calls;
        writeln!(
            self.out,
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#
        )?;
        self.output.write_all(&self.out)
    }

    /// Counts updates until a reply arrives; returns its id and its undecoded result.
    fn reply(&mut self) -> Result<(u64, String)> {
        loop {
            let line = self.input.next()?;
            let Ok(update) = serde_json::from_slice::<Update>(line) else {
                let reply: Reply = serde_json::from_slice(line)?;
                return Ok((reply.id, reply.result.get().to_owned()));
            };
            let Update {
                method,
                params: Params { session_id, update: Chunk { session_update, content } },
            } = update;
            if method == "session/update"
                && session_update == "agent_message_chunk"
                && !session_id.is_empty()
            {
                self.updates += 1;
                self.bytes += content.text.len();
            }
            if std::mem::take(&mut self.stop) {
                process::stop();
            }
        }
    }

    fn call(&mut self, method: &str, params: &str) -> Result<String> {
        self.send(method, params)?;
        match self.reply()? {
            (id, result) if id == self.calls => Ok(result),
            (id, _) => Err(Error::other(format!("call {} was answered with id {id}", self.calls))),
        }
    }

    fn prompt(&mut self, session: &str, text: &str) -> Result<String> {
        let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]});
        self.call("session/prompt", &prompt.to_string())
    }

    fn stats(&mut self) -> Result<Stats> {
        Ok(serde_json::from_str(&self.call("_bench/stats", "{}")?)?)
    }
}

/// `PIPE=BYTES` sets the capacity of the agent's stdout.
fn size_pipe(pipe: &impl AsRawFd) -> Result<()> {
    let Some(size) = std::env::var("PIPE").ok().and_then(|size| size.parse::<libc::c_int>().ok())
    else {
        return Ok(());
    };
    // SAFETY: the descriptor is open, and the call has no pointers.
    match unsafe { libc::fcntl(pipe.as_raw_fd(), libc::F_SETPIPE_SZ, size) } {
        -1 => Err(Error::last_os_error()),
        _ => Ok(()),
    }
}

pub(crate) fn run(words: &[String]) -> Result<()> {
    let mut halves = words.splitn(2, |word| word == "--");
    let (scenario, command) = (halves.next().unwrap_or(&[]), halves.next().unwrap_or(&[]));
    let (program, arguments) =
        command.split_first().ok_or_else(|| Error::other("no command after --"))?;
    let start = Instant::now();
    let mut command = Command::new(program);
    let mut child = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let pipes = child.stdin.take().zip(child.stdout.take());
    let (output, input) = pipes.ok_or_else(|| Error::other("no pipes"))?;
    size_pipe(&input)?;
    let input = Lines::new(input);
    let mut peer =
        Peer { output, input, calls: 0, updates: 0, bytes: 0, stop: false, out: Vec::new() };
    peer.call("initialize", r#"{"protocolVersion":1,"clientCapabilities":{}}"#)?;
    let startup_us = start.elapsed().as_micros() as u64;
    let report = measure(&mut peer, scenario, startup_us)?;
    println!("{report}");
    drop(peer);
    child.wait().map(drop)
}

fn measure(peer: &mut Peer, scenario: &[String], startup_us: u64) -> Result<Value> {
    if scenario.first().is_some_and(|name| name == "startup") {
        return Ok(json!({"startup_us": startup_us, "client_rss_kb": process::rss_kb()}));
    }
    let opened = peer.call("session/new", r#"{"cwd":"/","mcpServers":[]}"#)?;
    let opened: Value = serde_json::from_str(&opened)?;
    let session = opened["sessionId"].as_str().unwrap_or_default();
    let words = scenario.iter().map(String::as_str).collect::<Vec<_>>();
    let number = |word: &str| word.parse::<usize>().map_err(Error::other);
    match words.as_slice() {
        ["idle", seconds] => Ok(idle(number(seconds)? as u64)),
        ["rtt", count] => rtt(peer, session, number(count)?),
        ["pipelined", count, window] => pipelined(peer, session, number(count)?, number(window)?),
        ["flood", count, size, mode] => flood(peer, session, (number(count)?, number(size)?), mode),
        ["stall", count, size] => {
            peer.stop = true;
            flood(peer, session, (number(count)?, number(size)?), "burst")
        }
        _ => Err(Error::other(format!("unknown scenario {words:?}"))),
    }
}

fn set_mode(session: &str) -> String {
    json!({"sessionId": session, "modeId": "code"}).to_string()
}

fn rtt(peer: &mut Peer, session: &str, count: usize) -> Result<Value> {
    let params = set_mode(session);
    for _ in 0..(count / 10).max(100) {
        peer.call("session/set_mode", &params)?;
    }
    let before = peer.stats()?;
    let mut latencies = Vec::with_capacity(count);
    let span = Span::begin();
    for _ in 0..count {
        let sent = Instant::now();
        peer.call("session/set_mode", &params)?;
        latencies.push(sent.elapsed().as_nanos() as u64);
    }
    let mut report = span.end(count);
    report["latency"] = percentiles(latencies);
    peer.stats()?.add_since(&before, count, &mut report);
    Ok(report)
}

/// Sends `window` calls, then one new call for each reply.
fn pipelined(peer: &mut Peer, session: &str, count: usize, window: usize) -> Result<Value> {
    let params = set_mode(session);
    let span = Span::begin();
    for _ in 0..window.min(count) {
        peer.send("session/set_mode", &params)?;
    }
    for answered in 0..count {
        peer.reply()?;
        if answered + window < count {
            peer.send("session/set_mode", &params)?;
        }
    }
    Ok(span.end(count))
}

fn flood(
    peer: &mut Peer,
    session: &str,
    (count, size): (usize, usize),
    mode: &str,
) -> Result<Value> {
    let stop = std::mem::take(&mut peer.stop);
    peer.prompt(session, "500 32 burst")?;
    (peer.updates, peer.bytes, peer.stop) = (0, 0, stop);
    let client_rss_before_kb = process::rss_kb();
    process::reset_peak();
    let before = peer.stats()?;
    let span = Span::begin();
    peer.prompt(session, &format!("{count} {size} {mode}"))?;
    let mut report = span.end(count);
    let after = peer.stats()?;
    if (peer.updates, peer.bytes) != (count, count * size) {
        return Err(Error::other(format!(
            "{} updates of {} bytes arrived",
            peer.updates, peer.bytes
        )));
    }
    let seconds = report["secs"].as_f64().unwrap_or(f64::NAN);
    report["payload_mb_s"] = json!((count * size) as f64 / 1e6 / seconds);
    report["client_rss_before_kb"] = json!(client_rss_before_kb);
    report["client_peak_rss_kb"] = json!(process::peak_rss_kb());
    after.add_since(&before, count, &mut report);
    Ok(report)
}

fn idle(seconds: u64) -> Value {
    let before = process::usage();
    std::thread::sleep(Duration::from_secs(seconds));
    process::idle_since(before)
}
