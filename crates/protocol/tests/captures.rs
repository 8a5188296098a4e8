//! Decodes messages recorded from real agents. Every line decodes, and encodes again to an equal
//! JSON value.
//!
//! `fixtures/odd.jsonl` contains every unusual shape from these recordings, in short lines, and
//! `fixtures/v2.jsonl` each update and the new methods of version 2.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[path = "json/by_value.rs"]
mod by_value;
#[path = "json/typed.rs"]
#[allow(dead_code, reason = "used by the test of hostile input")]
mod typed;

use attache_protocol::envelope::Message;
use attache_protocol::envelope::{write_call, write_notification, write_reply};
use attache_protocol::method::v2::UPDATES;
use attache_protocol::method::{Kind, Side};
use attache_protocol::v1::ProtocolVersion;
use attache_protocol::{Raw, RequestId, encode};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::path::Path;
use typed::Typed;

/// One recording, line by line.
#[derive(Default)]
struct Recording {
    /// Calls without a reply so far. The first part of a key tells whether the client sent the
    /// call.
    calls: HashMap<(bool, RequestId), Option<&'static Typed>>,
    /// The number of lines whose params or result were decoded.
    typed: usize,
    wrong: Vec<String>,
}

impl Recording {
    fn read(file: &str, text: &str, version: ProtocolVersion) -> Self {
        let mut recording = Self::default();
        for (number, line) in text.lines().enumerate() {
            let members: HashMap<&str, &RawValue> = serde_json::from_str(line).unwrap();
            let from =
                if members["from"].get() == "\"client\"" { Side::Client } else { Side::Agent };
            if let Err(why) = recording.line(from, members["message"].get(), version) {
                recording.wrong.push(format!("{file}:{}: {why}", number + 1));
            }
        }
        recording
    }

    fn line(&mut self, from: Side, text: &str, version: ProtocolVersion) -> Result<(), String> {
        let message = Message::read(text.as_bytes()).map_err(|error| error.to_string())?;
        written_again(&message, text)?;
        let (check, text) = match message {
            Message::Call { id, method, params } => {
                let typed = typed::typed(version, from, &method, Kind::Call);
                self.calls.insert((from == Side::Client, id), typed);
                (typed.map(|typed| typed.params), params.unwrap_or("{}"))
            }
            Message::Notification { method, params } => (
                typed::typed(version, from, &method, Kind::Notification).map(|typed| typed.params),
                params.unwrap_or("{}"),
            ),
            Message::Reply { id, outcome } => {
                let typed = self.calls.remove(&(from == Side::Agent, id.clone()));
                let typed =
                    typed.ok_or_else(|| format!("a reply to call {id}, which nobody made"))?;
                match outcome {
                    Ok(result) => (typed.and_then(|typed| typed.result), result),
                    Err(_) => (None, ""),
                }
            }
        };
        match check {
            Some(check) => {
                self.typed += 1;
                check(text)
            }
            None => Ok(()),
        }
    }
}

/// Checks that the envelope writes the line that it was read from.
fn written_again(message: &Message<'_>, text: &str) -> Result<(), String> {
    let raw = |text: &str| Raw::from_text(text).map_err(|error| error.to_string());
    let mut line = Vec::new();
    match message {
        Message::Call { id, method, params: Some(params) } => {
            write_call(&mut line, id, method, &raw(params)?)
        }
        Message::Notification { method, params: Some(params) } => {
            write_notification(&mut line, method, &raw(params)?)
        }
        Message::Reply { id, outcome: Ok(result) } => write_reply(&mut line, id, Ok(&raw(result)?)),
        Message::Reply { id, outcome: Err(error) } => write_reply(&mut line, id, Err(error)),
        Message::Call { .. } | Message::Notification { .. } => return Ok(()),
    }
    let (before, after): (Value, Value) = (json(text.as_bytes())?, json(&line)?);
    if before == after { Ok(()) } else { Err(format!("{before} was written as {after}")) }
}

fn json(text: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(text).map_err(|error| error.to_string())
}

#[test]
fn every_odd_shape_of_real_agents_decodes_and_encodes_equal() {
    let recording =
        Recording::read("odd.jsonl", include_str!("fixtures/odd.jsonl"), ProtocolVersion::V1);
    assert!(recording.wrong.is_empty(), "{}", recording.wrong.join("\n"));
    assert!(recording.typed > 20);
}

#[test]
fn every_shape_of_version_2_decodes_and_encodes_equal() {
    let recording =
        Recording::read("v2.jsonl", include_str!("fixtures/v2.jsonl"), ProtocolVersion::V2);
    assert!(recording.wrong.is_empty(), "{}", recording.wrong.join("\n"));
    assert!(recording.typed > 50);
    for row in UPDATES {
        let tag = format!(r#""sessionUpdate":"{}""#, row.name);
        assert!(include_str!("fixtures/v2.jsonl").contains(&tag), "{tag}");
    }
}

#[test]
fn every_recorded_line_decodes_and_encodes_equal() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/protocol/captures");
    let Ok(files) = std::fs::read_dir(&folder) else {
        println!("no recordings next to this checkout: fixtures/odd.jsonl replaces them");
        return;
    };
    let (mut typed, mut wrong) = (0, Vec::new());
    for file in files {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.ends_with(".jsonl") {
            continue;
        }
        let version = if name.contains("-v2.") { ProtocolVersion::V2 } else { ProtocolVersion::V1 };
        let text = std::fs::read_to_string(&path).unwrap();
        let recording = Recording::read(&name, &text, version);
        typed += recording.typed;
        wrong.extend(recording.wrong);
    }
    // One probe sent `"cwd": 5` on purpose.
    assert_eq!(
        wrong,
        ["claude-agent-acp-0.100.0.jsonl:12: params.cwd: expected a string, found a number"],
        "{}",
        wrong.join("\n")
    );
    assert!(typed > 800, "only {typed} lines");
}

#[test]
fn a_message_on_the_wire_is_distinguished_from_its_error_text() {
    let line =
        br#"{"jsonrpc":"2.0","id":"a","error":{"code":-32603,"message":"x","data":{"a":[1.50]}}}"#;
    let Ok(Message::Reply { outcome: Err(error), .. }) = Message::read(line) else {
        panic!("no reply")
    };
    assert_eq!(encode(&error), r#"{"code":-32603,"message":"x","data":{"a":[1.50]}}"#);
}
