//! An agent for the rows of the screen and of the shared hub. It answers the prompt `stream RATE
//! SECONDS` with RATE chunks a second, in each session at the same time. The updates that answer
//! `stamp RATE SECONDS` say when they were sent: `@` with the microseconds in 16 digits, and zeros
//! at the end. It resumes any stored session at once, and leaves the history to its client.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark stops at the first error"
)]

use attache_bench::{filler, now_us};
use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

fn send(message: &Value) {
    let mut output = std::io::stdout().lock();
    output.write_all(format!("{message}\n").as_bytes()).unwrap();
    output.flush().unwrap();
}

fn reply(id: &Value, result: &Value) {
    send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
}

fn main() {
    let mut sessions = 0;
    for line in std::io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let (id, params) = (message["id"].clone(), message["params"].clone());
        match message["method"].as_str().unwrap_or_default() {
            "initialize" => {
                let capabilities = json!({"sessionCapabilities": {"resume": {}}});
                reply(&id, &json!({"protocolVersion": 1, "agentCapabilities": capabilities}));
            }
            "session/new" => {
                sessions += 1;
                reply(&id, &json!({"sessionId": format!("s{sessions}")}));
            }
            "session/prompt" => drop(std::thread::spawn(move || turn(&id, &params))),
            "session/cancel" | "" => {}
            _ => reply(&id, &json!({})),
        }
    }
}

/// Runs one turn.
fn turn(id: &Value, params: &Value) {
    let text = params["prompt"][0]["text"].as_str().unwrap_or_default();
    let is_stamped = text.starts_with("stamp ");
    let mut numbers = text.split(' ').filter_map(|word| word.parse::<u32>().ok());
    let (rate, seconds) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    let began = Instant::now();
    let mut stamps = Stamps::default();
    for number in 0..rate * seconds {
        let update = if is_stamped { stamps.update(number) } else { plain(number) };
        let params = json!({"sessionId": params["sessionId"], "update": update});
        send(&json!({"jsonrpc": "2.0", "method": "session/update", "params": params}));
        let due = began + Duration::from_secs(1) * (number + 1) / rate;
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
    }
    if is_stamped {
        let update = chunk(&format!("\n\n@{:016}", 0));
        let params = json!({"sessionId": params["sessionId"], "update": update});
        send(&json!({"jsonrpc": "2.0", "method": "session/update", "params": params}));
    }
    reply(id, &json!({"stopReason": "end_turn"}));
}

fn chunk(text: &str) -> Value {
    let content = json!({"type": "text", "text": text});
    json!({"sessionUpdate": "agent_message_chunk", "content": content})
}

fn plain(number: u32) -> Value {
    // A new line about every five chunks, as in a list.
    if number % 5 == 4 { chunk("\n- ") } else { chunk(&filler(32)) }
}

/// Updates that say when they were sent, each another microsecond.
#[derive(Default)]
struct Stamps {
    last: u64,
}

impl Stamps {
    /// Returns the next update. Each hundredth one is a tool call, after which a new message
    /// begins.
    fn update(&mut self, number: u32) -> Value {
        self.last = now_us().max(self.last + 1);
        let stamp = format!("@{:016}", self.last);
        match number % 100 {
            99 => {
                let call = format!("c{}", self.last);
                json!({"sessionUpdate": "tool_call", "toolCallId": call, "title": stamp,
                    "status": "completed"})
            }
            even if even % 5 == 4 => chunk(&format!("\n- {stamp} ")),
            _ => chunk(&format!("{stamp} {} ", filler(24))),
        }
    }
}
