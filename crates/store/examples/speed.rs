//! The speed of the store on this machine: `cargo run --release -p attache-store --example speed
//! [FOLDER]`.
//!
//! Prints medians of a few rounds. The folder selects the disk; the default is the folder of
//! temporary files.

#![allow(clippy::print_stdout, reason = "it prints what it measures")]

use attache_protocol::method::Side;
use attache_protocol::v1::{ContentBlock, TextContent};
use attache_protocol::{Meta, Patch, Raw};
use attache_session::{
    Event, EventBody, ListQuery, Log, MessageAuthor, Origin, SessionKey, Store, StoreError,
    Timestamp,
};
use attache_store::Sqlite;
use std::error::Error;
use std::time::{Duration, Instant};

const SESSIONS: u64 = 100_000;
const CHUNKS: u64 = 1_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = match std::env::args_os().nth(1) {
        Some(folder) => tempfile::tempdir_in(folder)?,
        None => tempfile::tempdir()?,
    };
    let store = Sqlite::open(folder.path().join("sessions.db"))?;
    appends(&store)?;
    commits(&store)?;
    reads(&store)?;
    lists(&store)?;
    Ok(())
}

fn key(id: &str) -> SessionKey {
    SessionKey { side: Side::Agent, agent: "echo".to_owned(), session_id: id.into() }
}

fn event(sequence: u64, body: EventBody) -> Event {
    Event { sequence, at: Timestamp((sequence / 1_000).cast_signed()), body }
}

fn chunk(text: &str) -> EventBody {
    let content = ContentBlock::Text(TextContent::new(text));
    EventBody::Message { author: MessageAuthor::Agent, message_id: None, content }
}

/// Waits for a commit, as a task would.
fn wait(log: &dyn Log) -> Result<(), StoreError> {
    use std::task::{Context, Poll, Wake};
    struct Unpark(std::thread::Thread);
    impl Wake for Unpark {
        fn wake(self: std::sync::Arc<Self>) {
            self.0.unpark();
        }
    }
    let mut commit = log.commit();
    let waker = std::sync::Arc::new(Unpark(std::thread::current())).into();
    let mut context = Context::from_waker(&waker);
    loop {
        match commit.as_mut().poll(&mut context) {
            Poll::Ready(outcome) => return outcome,
            Poll::Pending => std::thread::park(),
        }
    }
}

fn median(
    rounds: u32,
    mut measure: impl FnMut() -> Result<Duration, StoreError>,
) -> Result<Duration, StoreError> {
    let mut times = (0..rounds).map(|_| measure()).collect::<Result<Vec<_>, _>>()?;
    times.sort_unstable();
    Ok(times.get(times.len() / 2).copied().unwrap_or_default())
}

fn per_second(count: u64, time: Duration) -> f64 {
    count as f64 / time.as_secs_f64()
}

fn appends(store: &Sqlite) -> Result<(), StoreError> {
    for text in ["word ", "a piece of forty characters, as they come"] {
        let chunk = chunk(text);
        let mut appending = Vec::new();
        let whole = median(5, || {
            store.delete(&key("append"))?;
            let mut log = store.create(&key("append"))?;
            log.append(&event(1, EventBody::TurnBegan));
            wait(&*log)?;
            let mut event = event(2, chunk.clone());
            let start = Instant::now();
            for sequence in 2..CHUNKS + 2 {
                (event.sequence, event.at.0) = (sequence, (sequence / 1_000).cast_signed());
                log.append(&event);
            }
            appending.push(start.elapsed());
            wait(&*log)?;
            Ok(start.elapsed())
        })?;
        appending.sort_unstable();
        let alone = appending.get(2).copied().unwrap_or_default();
        println!(
            "append, chunks of {:2} bytes: {:10.0}/s with the commit, {:10.0}/s without",
            text.len(),
            per_second(CHUNKS, whole),
            per_second(CHUNKS, alone)
        );
    }
    Ok(())
}

fn commits(store: &Sqlite) -> Result<(), StoreError> {
    let mut log = store.create(&key("commit"))?;
    let mut sequence = 0;
    let time = median(200, || {
        sequence += 1;
        log.append(&event(sequence, EventBody::TurnBegan));
        let start = Instant::now();
        wait(&*log)?;
        Ok(start.elapsed())
    })?;
    println!("commit of one event: {time:?}");
    Ok(())
}

fn reads(store: &Sqlite) -> Result<(), StoreError> {
    let first = median(5, || {
        let start = Instant::now();
        store.read(&key("append"), 0)?;
        Ok(start.elapsed())
    })?;
    println!("first page of a session of {CHUNKS} chunks: {first:?}");
    let mut log = store.create(&key("messages"))?;
    for sequence in 1..=20_000 {
        let body = match sequence % 2 {
            0 => EventBody::Prompt {
                content: vec![ContentBlock::Text(TextContent::new("a question"))],
            },
            _ => chunk(&"an answer of some length. ".repeat(40)),
        };
        log.append(&event(sequence, body));
    }
    wait(&*log)?;
    let all = median(5, || {
        let start = Instant::now();
        let mut after = 0;
        while let Some(last) = store.read(&key("messages"), after)?.last() {
            after = last.sequence;
        }
        Ok(start.elapsed())
    })?;
    println!("a session of 10,000 prompts and answers of 1 KiB: {all:?}");
    Ok(())
}

fn lists(store: &Sqlite) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    for number in 0..SESSIONS {
        let mut log = store.create(&SessionKey {
            agent: if number % 1_000 == 7 { "rare" } else { "echo" }.to_owned(),
            ..key(&format!("s{number}"))
        })?;
        log.append(&event(
            number * 10 + 1,
            EventBody::Opened {
                cwd: format!("/work/{}", number % 500),
                additional_directories: Vec::new(),
                origin: Origin::New,
                agent: None,
            },
        ));
        log.append(&event(number * 10 + 2, chunk("something was said")));
        let tag = if number % 1_000 == 3 {
            r#","tags":["rare","common"]"#
        } else {
            r#","tags":["common"]"#
        };
        let meta = format!(r#"{{"attache/labels":{{"status":"open"{tag}}}}}"#);
        log.append(&event(
            number * 10 + 3,
            EventBody::Info {
                title: Patch::Set(format!("Session {number}")),
                updated_at: Patch::Keep,
                meta: Meta::new(Raw::from_text(&meta)?).map_or(Patch::Keep, Patch::Set),
            },
        ));
        // Commits only now and then. By the time of a commit, the writer has already stored most of
        // the events.
        if number % 1_000 == 999 {
            wait(&*log)?;
        }
    }
    println!("{SESSIONS} sessions made: {:?}", start.elapsed());
    let some = |text: &str| Some(text.to_owned());
    let any = ListQuery::default;
    let mut far = any();
    for _ in 0..200 {
        far.cursor = store.list(&far)?.next;
    }
    for (name, query) in [
        ("all", any()),
        ("page 201", far),
        ("of an agent", ListQuery { side: Some(Side::Agent), agent: some("echo"), ..any() }),
        ("of a rare agent", ListQuery { side: Some(Side::Agent), agent: some("rare"), ..any() }),
        ("of a working directory", ListQuery { cwd: some("/work/77"), ..any() }),
        ("with a rare tag", ListQuery { tag: some("rare"), ..any() }),
        ("with a common tag", ListQuery { tag: some("common"), ..any() }),
        ("archived", ListQuery { archived: attache_session::ArchivedFilter::Only, ..any() }),
        ("with a common text in the title", ListQuery { title: some("session 9"), ..any() }),
        ("with a text that no title has", ListQuery { title: some("nothing"), ..any() }),
        ("with a common text", ListQuery { text: some("was said"), ..any() }),
        ("with a text that does not occur", ListQuery { text: some("nobody said"), ..any() }),
    ] {
        let time = median(5, || {
            let start = Instant::now();
            store.list(&query)?;
            Ok(start.elapsed())
        })?;
        println!("page of 50 out of {SESSIONS} sessions, {name}: {time:?}");
    }
    Ok(())
}
