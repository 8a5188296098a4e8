//! Checkpoints: they spare reading the log, and the log alone is always enough.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails at the first unexpected value"
)]

#[path = "logs/logs.rs"]
#[allow(dead_code, reason = "each test binary uses a part")]
mod logs;

use attache_session::{Checkpoint, Log, Session, Store};
use attache_store::Sqlite;
use logs::{all, commit, event, key, message, opened, prompt, record, said, stored};
use rusqlite::Connection;
use std::path::PathBuf;

fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.db");
    (folder, path)
}

fn checkpoint(store: &dyn Store) -> Option<Checkpoint> {
    store.checkpoint(&key("s")).unwrap()
}

fn keep(log: &mut dyn Log, body: &str) {
    log.keep_checkpoint(Some(body.to_owned()));
    commit(log).unwrap();
}

/// A store whose session has a checkpoint at its second event, and one more event.
fn with_checkpoint() -> (tempfile::TempDir, PathBuf) {
    let (folder, path) = place();
    let store = Sqlite::open(&path).unwrap();
    let mut log = stored(&store, &key("s"), vec![opened("/"), prompt("x")]);
    keep(&mut *log, "state");
    log.append(&event(3, prompt("y")));
    commit(&*log).unwrap();
    (folder, path)
}

#[test]
fn the_last_checkpoint_is_read_after_a_restart() {
    let (_folder, path) = with_checkpoint();
    let store = Sqlite::open(&path).unwrap();
    let first = Checkpoint { sequence: 2, body: "state".to_owned() };
    assert_eq!(checkpoint(&store), Some(first));
    let mut log = store.open(&key("s")).unwrap();
    log.append(&event(4, message("z")));
    log.keep_checkpoint(Some("\u{e4}\"\n".to_owned()));
    drop(log);
    drop(store);
    let store = Sqlite::open(&path).unwrap();
    let last = Checkpoint { sequence: 4, body: "\u{e4}\"\n".to_owned() };
    assert_eq!(checkpoint(&store), Some(last));
    assert_eq!(all(&store, &key("s")).len(), 4);
    assert!(store.checkpoint(&key("other")).is_err());
}

#[test]
fn the_text_at_a_checkpoint_does_not_grow_over_it() {
    let (_folder, path) = place();
    let store = Sqlite::open(&path).unwrap();
    let mut log = stored(&store, &key("s"), vec![opened("/")]);
    (2..5).for_each(|number| log.append(&event(number, message("a"))));
    log.keep_checkpoint(Some("state".to_owned()));
    (5..8).for_each(|number| log.append(&event(number, message("b"))));
    commit(&*log).unwrap();
    let at = checkpoint(&store).unwrap().sequence;
    assert_eq!((at, said(&store.read(&key("s"), at).unwrap()).as_str()), (4, "bbb"));
    assert_eq!(said(&all(&store, &key("s"))), "aaabbb");
}

#[test]
fn a_checkpoint_is_due_after_enough_of_the_log() {
    let (_folder, path) = place();
    let store = Sqlite::open(&path).unwrap();
    let mut log = stored(&store, &key("s"), vec![opened("/")]);
    assert!(!log.is_checkpoint_due());
    log.append(&event(2, prompt(&"x".repeat(1 << 20))));
    assert!(log.is_checkpoint_due());
    keep(&mut *log, &"s".repeat(1 << 20));
    assert!(!log.is_checkpoint_due());
    log.append(&event(3, prompt(&"x".repeat(1 << 20))));
    assert!(!log.is_checkpoint_due(), "a large checkpoint is written less often");
    log.append(&event(4, prompt(&"x".repeat(1 << 20))));
    assert!(log.is_checkpoint_due());
    for number in 5..6000 {
        log.append(&event(number, prompt("x")));
    }
    drop(log);
    assert!(store.open(&key("s")).unwrap().is_checkpoint_due(), "long logs of older programs");
}

#[test]
fn an_unusable_checkpoint_counts_as_absent() {
    for damage in [
        "UPDATE checkpoint SET body = 'stare'",
        "UPDATE checkpoint SET body = CAST(x'FF' AS TEXT)",
        "UPDATE checkpoint SET sequence = 4",
        "UPDATE checkpoint SET sequence = -1",
        "DROP TABLE checkpoint",
        "ALTER TABLE checkpoint RENAME COLUMN body TO text",
    ] {
        let (_folder, path) = with_checkpoint();
        Connection::open(&path).unwrap().execute_batch(damage).unwrap();
        let store = Sqlite::open(&path).unwrap();
        assert_eq!(checkpoint(&store), None, "{damage}");
        assert_eq!(all(&store, &key("s")).len(), 3, "{damage}");
    }
}

/// Older programs delete only the rows that they know.
#[test]
fn a_checkpoint_goes_with_its_session() {
    let (_folder, path) = with_checkpoint();
    let count = || -> i64 {
        let connection = Connection::open(&path).unwrap();
        connection.query_row("SELECT count(*) FROM checkpoint", [], |row| row.get(0)).unwrap()
    };
    assert_eq!(count(), 1);
    Connection::open(&path).unwrap().execute_batch("DELETE FROM session").unwrap();
    assert_eq!(count(), 0);
}

#[test]
fn a_fork_has_no_checkpoint_and_is_complete() {
    let (_folder, path) = with_checkpoint();
    let store = Sqlite::open(&path).unwrap();
    let fork = store.fork(&key("s"), None, &key("fork")).unwrap();
    commit(&*fork).unwrap();
    assert_eq!(store.checkpoint(&key("fork")).unwrap(), None);
    assert_eq!(all(&store, &key("fork")).len(), 3);
}

#[test]
fn a_store_without_checkpoints_gets_no_table() {
    let (_folder, path) = place();
    let store = Sqlite::open(&path).unwrap();
    let log = stored(&store, &key("s"), vec![opened("/"), prompt("x")]);
    assert_eq!(checkpoint(&store), None);
    drop((log, store));
    let connection = Connection::open(&path).unwrap();
    assert!(connection.prepare("SELECT * FROM checkpoint").is_err());
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    assert_eq!(version, 1);
}

#[test]
fn numbered_events_are_read_alone() {
    let (_folder, path) = place();
    let store = Sqlite::open(&path).unwrap();
    let bodies = vec![opened("/"), record("1"), message("a"), message("b"), record("2")];
    let _log = stored(&store, &key("s"), bodies);
    let events = all(&store, &key("s"));
    let read = store.read_numbered(&key("s"), &[2, 3, 5, 9]).unwrap();
    assert_eq!(read, [events[1].clone(), events[3].clone()]);
}

/// The events after a checkpoint complete the session.
#[test]
fn a_session_is_restored_from_its_checkpoint_and_its_tail() {
    let (_folder, path) = place();
    let store = Sqlite::open(&path).unwrap();
    let mut log = stored(&store, &key("s"), vec![opened("/")]);
    let mut session = Session::new("s");
    session.apply(&event(1, opened("/")));
    for number in 2..400 {
        let event = event(number, message(&format!("{number} ")));
        session.apply(&event);
        log.append(&event);
        if number % 90 == 0 {
            log.keep_checkpoint(session.checkpoint());
        }
    }
    commit(&*log).unwrap();
    let Checkpoint { sequence, body } = checkpoint(&store).unwrap();
    let mut restored = Session::restore("s", &body).unwrap();
    assert_eq!((sequence, restored.sequence()), (360, 360));
    store.read(&key("s"), sequence).unwrap().iter().for_each(|event| {
        restored.apply(event);
    });
    assert_eq!(restored.sequence(), session.sequence());
    assert!(restored.entries().iter().eq(session.entries().iter()));
}
