//! Confirmed events survive `kill -9`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails at the first unexpected value, and a child of a test answers on its output"
)]
#![cfg(unix)]

#[path = "logs/logs.rs"]
#[allow(dead_code, reason = "each test binary uses a part")]
mod logs;

use attache_session::{Checkpoint, Event, EventBody, ListQuery, Store};
use attache_store::Sqlite;
use logs::{all, commit, event, key, message, opened, record, said};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

const SESSIONS: [&str; 4] = ["a", "b", "c", "d"];
const ROUNDS: u64 = 50;

/// The environment variable that tells a child the path of the store.
const STORE: &str = "ATTACHE_TEST_STORE";

/// The content of event `number`, which may be a short text, a long text, or another kind of event.
fn body(number: u64) -> EventBody {
    match number % 13 {
        _ if number == 1 => opened("/"),
        0 => record(&number.to_string()),
        5 => message(&format!("{number};{}", " ".repeat(20_000))),
        _ => message(&format!("{number};")),
    }
}

/// Not a test of its own, but the process that is killed. Four threads write a session each and
/// print confirmed numbers.
#[test]
fn writer() {
    let Some(path) = std::env::var_os(STORE) else { return };
    let store = Sqlite::open(path).unwrap();
    std::thread::scope(|scope| {
        for session in SESSIONS {
            let store = &store;
            scope.spawn(move || write(store, session));
        }
    });
}

fn write(store: &Sqlite, session: &str) {
    let (mut log, mut number) = match store.summary(&key(session)) {
        Ok(summary) => (store.open(&key(session)).unwrap(), summary.sequence),
        Err(_) => (store.create(&key(session)).unwrap(), 0),
    };
    loop {
        for _ in 0..1 + number % 17 {
            number += 1;
            log.append(&event(number, body(number)));
        }
        if number % 3 == 0 {
            log.keep_checkpoint(Some(number.to_string()));
        }
        commit(&*log).unwrap();
        let mut out = std::io::stdout().lock();
        writeln!(out, "\nconfirmed {session} {number}").unwrap();
        out.flush().unwrap();
    }
}

/// Lets a child write until this many commits are confirmed, and kills it. Returns the last
/// confirmed number of each session.
fn killed_after(path: &Path, confirmations: u64) -> [u64; 4] {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "writer", "--nocapture"])
        .env(STORE, path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut confirmed = [0; 4];
    let mut seen = 0;
    // The pipe is read to its end: everything that was printed before the kill was confirmed.
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        let Some((session, number)) =
            line.strip_prefix("confirmed ").and_then(|line| line.split_once(' '))
        else {
            continue;
        };
        // The last line may be cut off.
        let (Some(index), Ok(number)) =
            (SESSIONS.iter().position(|own| *own == session), number.parse())
        else {
            continue;
        };
        confirmed[index] = confirmed[index].max(number);
        seen += 1;
        if seen == confirmations {
            child.kill().unwrap();
        }
    }
    let status = child.wait().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9), "{status:?}");
    confirmed
}

/// Every event of the log in order, and their number.
fn numbers(events: &[Event]) -> u64 {
    let mut next = 1;
    for event in events {
        let said = said(std::slice::from_ref(event));
        if said.is_empty() {
            assert_eq!(event.body, body(next));
            next += 1;
        }
        for piece in
            said.split_inclusive(';').map(str::trim_start).filter(|piece| !piece.is_empty())
        {
            assert_eq!(piece, format!("{next};"));
            next += 1;
        }
        assert_eq!(event.sequence, next - 1);
    }
    next - 1
}

#[test]
fn every_confirmed_event_survives_kill_9() {
    if std::env::var_os(STORE).is_some() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.db");
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    let mut total = 0;
    for round in 0..ROUNDS {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let confirmed = killed_after(&path, 1 + random % 60);
        total += confirmed.iter().sum::<u64>();
        let store = Sqlite::open(&path).unwrap();
        for (session, confirmed) in SESSIONS.iter().zip(confirmed) {
            let Ok(summary) = store.summary(&key(session)) else {
                assert_eq!(confirmed, 0, "round {round}: session {session} is gone");
                continue;
            };
            assert!(
                summary.sequence >= confirmed,
                "round {round}: {session} has {} of {confirmed}",
                summary.sequence
            );
            // The whole log is checked only in some rounds, because it grows.
            if round % 10 == 9 || round < 3 {
                assert_eq!(numbers(&all(&store, &key(session))), summary.sequence);
            }
            // A checkpoint is never ahead of its log, and the events after it are complete.
            if let Some(checkpoint) = store.checkpoint(&key(session)).unwrap() {
                let Checkpoint { sequence, body } = checkpoint;
                assert_eq!(body, sequence.to_string());
                assert!(sequence <= summary.sequence);
                let next = store.read(&key(session), sequence).unwrap();
                let said = next.first().map(|event| said(std::slice::from_ref(event)));
                let said = said.filter(|said| !said.is_empty());
                assert!(said.is_none_or(|said| said.starts_with(&format!("{};", sequence + 1))));
            }
            // The lock is free, although the killed process did not release it.
            drop(store.open(&key(session)).unwrap());
        }
    }
    assert!(total > 0);
    let store = Sqlite::open(&path).unwrap();
    assert_eq!(store.list(&ListQuery::default()).unwrap().sessions.len(), SESSIONS.len());
    drop(store);
    let database = rusqlite::Connection::open(&path).unwrap();
    let check: String = database.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
    let locks = std::fs::read_dir(folder.path().join("sessions.db-locks")).unwrap().count();
    assert_eq!(locks, 0, "locks of dead processes are taken over and removed");
}
