//! Measures the store alone: `append FILE N SIZE` appends N chunks of one message and commits them.
//! `page FILE N` lists a page of 50 out of N sessions and reports the slowest of several queries.
//! It prints one JSON object.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::panic,
    reason = "a benchmark stops at the first error"
)]

use attache_bench::{filler, runtime, stored};
use attache_protocol::method::Side;
use attache_session::{Event, ListQuery, MessageAuthor, Store, Timestamp};
use attache_store::Sqlite;
use serde_json::json;
use std::hint::black_box;
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let store = Sqlite::open(&arguments[1]).unwrap();
    let count: u64 = arguments[2].parse().unwrap();
    let report = match arguments[0].as_str() {
        "append" => json!({ "per_s": append(&store, count, arguments[3].parse().unwrap()) }),
        "page" => json!({ "page_ms": page(&store, count) }),
        other => panic!("no mode {other}"),
    };
    println!("{report}");
}

fn append(store: &Sqlite, count: u64, size: usize) -> f64 {
    let key = stored::key("append");
    store.delete(&key).unwrap();
    let mut log = store.create(&key).unwrap();
    log.append(&Event { sequence: 1, at: Timestamp(0), body: stored::opened("/") });
    runtime().block_on(log.commit()).unwrap();
    let mut event = Event {
        sequence: 0,
        at: Timestamp(0),
        body: stored::piece(MessageAuthor::Agent, 2, &filler(size)),
    };
    let since = Instant::now();
    for sequence in 2..count + 2 {
        // The timestamps are spaced as if there were a million events per second.
        (event.sequence, event.at.0) = (sequence, (sequence / 1_000).cast_signed());
        log.append(black_box(&event));
    }
    runtime().block_on(log.commit()).unwrap();
    let seconds = since.elapsed().as_secs_f64();
    assert_eq!(store.summary(&key).unwrap().sequence, count + 1);
    count as f64 / seconds
}

fn page(store: &Sqlite, count: u64) -> f64 {
    stored::create_many(store, count);
    let any = || ListQuery {
        side: Some(Side::Agent),
        agent: Some(stored::AGENT.to_owned()),
        limit: 50,
        ..ListQuery::default()
    };
    let mut far = any();
    for _ in 0..200 {
        far.cursor = store.list(&far).unwrap().next;
        assert!(far.cursor.is_some());
    }
    let in_folder = ListQuery { cwd: Some("/project/77".to_owned()), ..any() };
    let titled = ListQuery { title: Some("session 9".to_owned()), ..any() };
    let slowest = [any(), far, in_folder, titled].map(|query| {
        let mut times: Vec<f64> = (0..9)
            .map(|_| {
                let since = Instant::now();
                assert_eq!(store.list(black_box(&query)).unwrap().sessions.len(), 50);
                since.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    });
    slowest.into_iter().fold(0.0, f64::max)
}
