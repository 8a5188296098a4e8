//! An agent for the rows of the screen. It answers the prompt `stream RATE SECONDS` with RATE
//! chunks a second, in each session at the same time. It resumes any stored session at once, and
//! leaves the history to its client.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark stops at the first error"
)]

use attache_bench::filler;
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
    let mut numbers = text.split(' ').filter_map(|word| word.parse::<u32>().ok());
    let (rate, seconds) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    let began = Instant::now();
    let text = filler(32);
    for number in 0..rate * seconds {
        // A new line about every five chunks, as in a list.
        let text = if number % 5 == 4 { "\n- " } else { text.as_str() };
        let content = json!({"type": "text", "text": text});
        let update = json!({"sessionUpdate": "agent_message_chunk", "content": content});
        let params = json!({"sessionId": params["sessionId"], "update": update});
        send(&json!({"jsonrpc": "2.0", "method": "session/update", "params": params}));
        let due = began + Duration::from_secs(1) * (number + 1) / rate;
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
    }
    reply(id, &json!({"stopReason": "end_turn"}));
}
