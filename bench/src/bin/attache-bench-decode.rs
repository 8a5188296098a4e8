//! Decodes recorded messages into their types repeatedly. Each line of a `FILE` is
//! `{"from": "agent|client", "message": {…}}`.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a benchmark stops at the first error"
)]

use attache_protocol::envelope::Message;
use attache_protocol::method::{Call, Kind, Method, Row, Side};
use attache_protocol::{RequestId, each_method, method};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Instant;

/// A recorded line. The message is kept as text, in the form in which it would arrive.
type Decode = fn(&str) -> bool;

macro_rules! decoders {
    ($($group:ident {
        $($function:ident $ty:ident $name:literal $params:ident $(=> $result:ident)? {
            $($rest:tt)*
        })*
    })*) => {
        fn decoders(name: &str, kind: Kind) -> Option<(Decode, Option<Decode>)> {
            $($(if name == $name && kind == <method::$ty as Method>::ROW.kind {
                let params: Decode =
                    |text| <method::$ty as Method>::decode_params(Some(text)).is_ok();
                return Some((params, decoders!(@result $ty $($result)?)));
            })*)*
            None
        }
    };
    (@result $ty:ident $result:ident) => {
        Some(|text| <method::$ty as Call>::decode_result(text).is_ok())
    };
    (@result $ty:ident) => { None };
}

each_method! { decoders }

struct Recorded {
    line: String,
    decode: Option<Decode>,
}

fn record(files: &[String]) -> Vec<Recorded> {
    let mut messages = Vec::new();
    for file in files.iter().filter(|file| !file.contains("-v2")) {
        let mut calls: HashMap<(String, RequestId), Option<Decode>> = HashMap::new();
        for line in std::fs::read_to_string(file).unwrap().lines() {
            let entry: Value = serde_json::from_str(line).unwrap();
            let (from, line) =
                (entry["from"].as_str().unwrap().to_owned(), entry["message"].to_string());
            let to = if from == "agent" { Side::Client } else { Side::Agent };
            let decode = match Message::read(line.as_bytes()) {
                Ok(Message::Call { id, method, .. }) => {
                    let known = Row::received_by(to, &method, Kind::Call)
                        .and_then(|_| decoders(&method, Kind::Call));
                    calls.insert((from, id), known.and_then(|(_, result)| result));
                    known.map(|(params, _)| params)
                }
                Ok(Message::Notification { method, .. }) => {
                    decoders(&method, Kind::Notification).map(|(params, _)| params)
                }
                Ok(Message::Reply { id, outcome: Ok(_) }) => {
                    let caller = if from == "agent" { "client" } else { "agent" };
                    calls.remove(&(caller.to_owned(), id)).flatten()
                }
                _ => None,
            };
            messages.push(Recorded { line, decode });
        }
    }
    messages
}

fn main() {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let messages = record(&files);
    let bytes: usize = messages.iter().map(|message| message.line.len() + 1).sum();
    let mut best = f64::INFINITY;
    let mut undecoded = 0;
    for _ in 0..200 {
        let since = Instant::now();
        undecoded = 0;
        for message in &messages {
            let decoded = match Message::read(std::hint::black_box(message.line.as_bytes())) {
                Ok(Message::Call { params, .. } | Message::Notification { params, .. }) => {
                    message.decode.is_none_or(|decode| decode(params.unwrap_or("{}")))
                }
                Ok(Message::Reply { outcome: Ok(result), .. }) => {
                    message.decode.is_none_or(|decode| decode(result))
                }
                _ => true,
            };
            undecoded += usize::from(!decoded);
        }
        best = best.min(since.elapsed().as_secs_f64());
    }
    let speed = bytes as f64 / 1e6 / best;
    println!(
        "{}",
        json!({"messages": messages.len(), "bytes": bytes, "mb_s": speed, "undecoded": undecoded})
    );
}
