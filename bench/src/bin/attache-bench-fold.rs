//! Folds events into a session without a connection, and prints one JSON object. `chunks N SIZE`
//! folds N chunks of one message. `snapshots N` folds chunks that belong to the last of N messages,
//! and takes a snapshot before each chunk, as a screen would.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::panic,
    reason = "a benchmark stops at the first error"
)]

use attache_bench::filler;
use attache_session::{Event, EventBody, MessageAuthor, Session, Timestamp};
use serde_json::json;
use std::hint::black_box;
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let count: u64 = arguments[1].parse().unwrap();
    let per_second = match arguments[0].as_str() {
        "chunks" => chunks(count, arguments[2].parse().unwrap()),
        "snapshots" => snapshots(count),
        other => panic!("no mode {other}"),
    };
    println!("{}", json!({ "per_s": per_second }));
}

fn piece(sequence: u64, message: u64, text: &str) -> Event {
    let message_id = Some(format!("message-{message}").into());
    let body =
        EventBody::Message { author: MessageAuthor::Agent, message_id, content: text.into() };
    Event { sequence, at: Timestamp(sequence as i64), body }
}

fn chunks(count: u64, size: usize) -> f64 {
    let mut session = Session::new("s");
    let mut event = piece(0, 1, &filler(size));
    let since = Instant::now();
    for sequence in 1..=count {
        event.sequence = sequence;
        session.apply(black_box(&event));
    }
    let seconds = since.elapsed().as_secs_f64();
    assert_eq!(session.sequence(), count);
    count as f64 / seconds
}

fn snapshots(entries: u64) -> f64 {
    const LOOKS: u64 = 200;
    let mut session = Session::new("s");
    for sequence in 1..=entries {
        session.apply(&piece(sequence, sequence, "a message"));
    }
    let mut event = piece(0, entries, "more");
    let since = Instant::now();
    for look in 1..=LOOKS {
        let snapshot = session.clone();
        event.sequence = entries + look;
        session.apply(&event);
        assert_eq!(snapshot.sequence() + 1, session.sequence());
    }
    LOOKS as f64 / since.elapsed().as_secs_f64()
}
