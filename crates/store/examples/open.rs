//! How fast a front end shows stored sessions: `cargo run --release -p attache-store --example open
//! [FOLDER]`.
//!
//! Prints how long it takes to open a session of 100 MB with and without its checkpoint, to read
//! its earlier entries in pages, and to list the first of 5,000 sessions. The folder selects the
//! disk; the default is the folder of temporary files.

#![allow(clippy::print_stdout, reason = "it prints what it measures")]

use attache_protocol::method::Side;
use attache_protocol::v1::{ContentBlock, TextContent};
use attache_session::{
    EntryIndex, Event, EventBody, ListQuery, Log, MessageAuthor, Session, SessionKey, Store,
    StoreError, Timestamp, keep_checkpoint, read_stored_session,
};
use attache_store::Sqlite;
use std::error::Error;
use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use std::time::Instant;

const TURNS: usize = 5_000;
const ANSWER: usize = 20_000;
const SESSIONS: usize = 5_000;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = match std::env::args_os().nth(1) {
        Some(folder) => tempfile::tempdir_in(folder)?,
        None => tempfile::tempdir()?,
    };
    let store = Sqlite::open(folder.path().join("sessions.db"))?;
    let (long, without) = (key("long"), key("without"));
    write(&store, &long, true)?;
    write(&store, &without, false)?;
    opening(&store, "with its checkpoint", &long)?;
    opening(&store, "without a checkpoint", &without)?;
    paging(&store, &long)?;
    listing(&store)?;
    Ok(())
}

fn key(id: &str) -> SessionKey {
    SessionKey { side: Side::Client, agent: "a".to_owned(), session_id: id.into() }
}

/// Waits for a commit, as a task would.
fn wait(log: &dyn Log) -> Result<(), StoreError> {
    struct Unpark(std::thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let mut commit = log.commit();
    let waker = Arc::new(Unpark(std::thread::current())).into();
    let mut context = Context::from_waker(&waker);
    loop {
        match commit.as_mut().poll(&mut context) {
            Poll::Ready(outcome) => return outcome,
            Poll::Pending => std::thread::park(),
        }
    }
}

/// Writes a session of 100 MB.
fn write(store: &Sqlite, key: &SessionKey, checkpoint: bool) -> Result<(), StoreError> {
    let mut log = store.create(key)?;
    let mut session = Session::new(key.session_id.clone());
    let answer = "an answer of some length. ".repeat(ANSWER / 26);
    let text = |text: &str| ContentBlock::Text(TextContent::new(text));
    for turn in 0..TURNS {
        let (author, message_id) = (MessageAuthor::Agent, None);
        for body in [
            EventBody::Prompt { content: vec![text(&format!("question {turn}"))] },
            EventBody::Message { author, message_id, content: text(&answer) },
        ] {
            let event = session.next(Timestamp(turn as i64), body);
            session.apply(&event);
            log.append(&event);
        }
        if turn % 500 == 0 {
            wait(&*log)?;
        }
        if checkpoint {
            keep_checkpoint(&mut *log, &session, Vec::new);
        }
    }
    wait(&*log)
}

fn opening(store: &Sqlite, name: &str, key: &SessionKey) -> Result<(), StoreError> {
    let start = Instant::now();
    let session = read_stored_session(store, key, |_| {})?;
    let (time, memory) = (start.elapsed(), session.memory() >> 10);
    println!(
        "open a session of {TURNS} turns and 100 MB {name}: {time:?}, {memory} KiB of entries"
    );
    Ok(())
}

fn paging(store: &Sqlite, key: &SessionKey) -> Result<(), StoreError> {
    let session = read_stored_session(store, key, |_| {})?;
    let mut index = EntryIndex::new("long");
    let start = Instant::now();
    index.update(store, key)?;
    println!("index its log: {:?}", start.elapsed());
    let mut before = session.in_memory_since();
    for page in 1..=3 {
        let start = Instant::now();
        let read = index.page(store, key, before, 50)?;
        let (time, count) = (start.elapsed(), read.entries.len());
        println!("page {page} of {count} entries before those in memory: {time:?}");
        before = read.entries.first().map_or(0, |entry| entry.began_at);
    }
    Ok(())
}

fn listing(store: &Sqlite) -> Result<(), StoreError> {
    for number in 0..SESSIONS {
        let mut log = store.create(&key(&format!("s{number}")))?;
        let content = vec![ContentBlock::Text(TextContent::new(format!("prompt {number}")))];
        let (sequence, at) = (1, Timestamp(number as i64));
        log.append(&Event { sequence, at, body: EventBody::Prompt { content } });
        let stored = log.commit();
        if number + 1 == SESSIONS {
            drop(stored);
            wait(&*log)?;
        }
    }
    for (name, query) in [
        ("first 50", ListQuery::default()),
        ("first 50 that were used", ListQuery { used: true, ..ListQuery::default() }),
        ("first 1,000", ListQuery { limit: 1000, ..ListQuery::default() }),
        (
            "first 50 with a text",
            ListQuery { text: Some("4 9".to_owned()), ..ListQuery::default() },
        ),
    ] {
        let start = Instant::now();
        let count = store.list(&query)?.sessions.len();
        println!("{name} of {SESSIONS} sessions ({count} found): {:?}", start.elapsed());
    }
    Ok(())
}
