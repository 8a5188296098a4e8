//! The file of a store: its content, its permissions, and the files that are refused.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails at the first unexpected value"
)]

#[path = "logs/logs.rs"]
#[allow(dead_code, reason = "each test binary uses a part")]
mod logs;

use attache_session::{Event, EventBody, ListQuery, SessionKey, Store, StoreError};
use attache_store::Sqlite;
use logs::{all, commit, event, key, message, meta, opened, prompt, record, said, stored, title};
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A folder, and the path of the store in it.
fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.db");
    (folder, path)
}

/// Every file in a folder with its bytes, except the memory that processes share.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.is_file() && !path.ends_with("sessions.db-shm"))
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect()
}

fn number(path: &Path, sql: &str) -> i64 {
    Connection::open(path).unwrap().query_row(sql, [], |row| row.get(0)).unwrap()
}

fn list(store: &Sqlite) -> Vec<SessionKey> {
    let page = store.list(&ListQuery::default()).unwrap();
    page.sessions.into_iter().map(|listed| listed.key).collect()
}

#[test]
fn a_store_opens_again_with_all_its_sessions() {
    let (folder, path) = place();
    let store = Sqlite::open(&path).unwrap();
    assert_eq!(store.path(), path.canonicalize().unwrap());
    let bodies =
        vec![opened("/"), title("T"), meta(r#"{"a":{"b":1.50}}"#), prompt("x"), record("[1]")];
    drop(stored(&store, &key("s"), bodies));
    let (events, summary) = (all(&store, &key("s")), store.summary(&key("s")).unwrap());
    drop(store);
    // Dropping the last handle waited for the thread, so SQLite has removed its extra files.
    let names: Vec<_> = files(folder.path()).into_keys().collect();
    assert_eq!(names, std::slice::from_ref(&path));
    let store = Sqlite::open(&path).unwrap();
    assert_eq!(all(&store, &key("s")), events);
    assert_eq!(store.summary(&key("s")).unwrap(), summary);
}

#[test]
fn the_last_log_stores_what_it_has_after_the_store_is_gone() {
    let (_folder, path) = place();
    let store = Sqlite::open(&path).unwrap();
    let mut log = stored(&store, &key("s"), vec![opened("/")]);
    drop(store);
    log.append(&event(2, message("late")));
    drop(log);
    assert_eq!(said(&all(&Sqlite::open(&path).unwrap(), &key("s"))), "late");
}

#[test]
fn the_size_of_a_session_does_not_depend_on_streaming() {
    let (_folder, path) = place();
    let store = Sqlite::open(&path).unwrap();
    let mut log = store.create(&key("s")).unwrap();
    for number in 1..=100_000 {
        log.append(&Event { at: attache_session::Timestamp(7), ..event(number, message("ab")) });
    }
    commit(&*log).unwrap();
    let rows = number(&path, "SELECT count(*) FROM event");
    assert_eq!(rows, i64::try_from(200_000_usize.div_ceil(Event::JOINED_TEXT)).unwrap());
    assert_eq!(said(&all(&store, &key("s"))), "ab".repeat(100_000));
    assert_eq!(number(&path, "SELECT min(first) FROM event"), 1);
    assert_eq!(number(&path, "SELECT sum(last - first + 1) FROM event"), 100_000);
}

#[test]
fn nothing_is_stored_before_the_first_commit() {
    let (_folder, path) = place();
    let store = Sqlite::open(&path).unwrap();
    let mut log = store.create(&key("s")).unwrap();
    log.append(&event(1, opened("/")));
    assert!(log.backlog() > 0);
    assert_eq!(list(&store), []);
    assert!(matches!(store.read(&key("s"), 0), Err(StoreError::NotFound(_))));
    commit(&*log).unwrap();
    assert_eq!(log.backlog(), 0);
    assert_eq!(list(&store), [key("s")]);
}

/// The other handle is independent of this one, so it sees only what is in the file.
#[test]
fn appended_events_are_stored_soon_without_a_commit() {
    let (_folder, path) = place();
    let (store, other) = (Sqlite::open(&path).unwrap(), Sqlite::open(&path).unwrap());
    let mut log = stored(&store, &key("s"), vec![opened("/")]);
    log.append(&event(2, prompt("soon")));
    let start = std::time::Instant::now();
    while other.summary(&key("s")).unwrap().sequence < 2 {
        assert!(start.elapsed() < std::time::Duration::from_secs(60), "never stored");
        std::thread::yield_now();
    }
    while log.backlog() > 0 {
        assert!(start.elapsed() < std::time::Duration::from_secs(60), "the event was never stored");
        std::thread::yield_now();
    }
}

#[test]
fn a_fork_of_a_session_that_is_deleted_meanwhile_fails() {
    let (_folder, path) = place();
    let store = Sqlite::open(&path).unwrap();
    drop(stored(&store, &key("from"), vec![opened("/"), prompt("x")]));
    let fork = store.fork(&key("from"), None, &key("to")).unwrap();
    store.delete(&key("from")).unwrap();
    assert!(matches!(commit(&*fork), Err(StoreError::NotFound(gone)) if gone == key("from")));
    drop(fork);
    assert_eq!(list(&store), []);
}

/// A deleted conversation is in none of the files, even if other sessions are read at the same time
/// and later.
#[test]
fn deleted_data_is_removed_from_the_disk() {
    let (folder, path) = place();
    let store = Sqlite::open(&path).unwrap();
    let secret = "correct horse battery staple ".repeat(400);
    drop(stored(&store, &key("s"), vec![opened("/"), prompt(&secret), title("battery staple")]));
    let _other = stored(&store, &key("t"), vec![opened("/"), prompt("x")]);
    let holds = || {
        files(folder.path())
            .values()
            .any(|bytes| bytes.windows(14).any(|part| part == b"battery staple"))
    };
    assert!(holds());
    store.delete(&key("s")).unwrap();
    assert!(!holds());
    assert_eq!(list(&store), [key("t")]);
}

#[test]
fn two_names_of_one_file_are_one_store() {
    let (folder, path) = place();
    let store = Sqlite::open(&path).unwrap();
    let _log = stored(&store, &key("s"), vec![opened("/")]);
    let link = folder.path().join("link");
    #[cfg(unix)]
    std::os::unix::fs::symlink(&path, &link).unwrap();
    #[cfg(not(unix))]
    let link = path;
    let other = Sqlite::open(&link).unwrap();
    assert!(matches!(other.open(&key("s")), Err(StoreError::InUse(_))));
    assert!(matches!(other.delete(&key("s")), Err(StoreError::InUse(_))));
    assert!(matches!(other.create(&key("s")), Err(StoreError::AlreadyExists(_))));
}

#[cfg(unix)]
#[test]
fn only_the_user_may_read_the_files() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b/sessions.db");
    let store = Sqlite::open(&path).unwrap();
    let _log = stored(&store, &key("s"), vec![opened("/")]);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder.path().join("a")), 0o700);
    assert_eq!(mode(&folder.path().join("a/b")), 0o700);
    assert_eq!(mode(&folder.path().join("a/b/sessions.db-locks")), 0o700);
    let files = files(path.parent().unwrap());
    assert_eq!(files.len(), 2, "{:?}", files.keys());
    assert!(files.keys().all(|path| mode(path) == 0o600));
    assert_eq!(mode(&folder.path().join("a/b/sessions.db-shm")), 0o600);
}

/// The draft of a process that was killed while it created a store, or is creating it now.
#[test]
fn a_leftover_draft_does_not_prevent_a_new_store() {
    let (folder, path) = place();
    let draft = folder.path().join("sessions.db-new");
    fs::write(&draft, "half of a draft").unwrap();
    let store = Sqlite::open(&path).unwrap();
    drop(stored(&store, &key("s"), vec![opened("/")]));
    assert_eq!(list(&store), [key("s")]);
    assert_eq!(fs::read(&draft).unwrap(), b"half of a draft", "it belongs to another process");
}

/// Opens a file that must be refused, and checks that nothing changed.
fn refused(path: &Path) -> StoreError {
    let before = files(path.parent().unwrap());
    let error = Sqlite::open(path).unwrap_err();
    assert!(files(path.parent().unwrap()) == before, "touched");
    assert!(error.to_string().contains("sessions.db"), "{error}");
    error
}

#[test]
fn a_file_that_is_not_a_store_is_refused_unchanged() {
    let (_folder, path) = place();
    let header = [&b"SQLite format 3\0"[..], &[0xA5; 8_000]].concat();
    for bytes in [&b"x"[..], b"# Notes\n", &[0; 5_000], &header] {
        fs::write(&path, bytes).unwrap();
        println!("{} bytes", bytes.len());
        assert!(matches!(refused(&path), StoreError::Damaged { .. }), "{:?}", refused(&path));
    }
    fs::remove_file(&path).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE session (id); INSERT INTO session VALUES (1)").unwrap();
    drop(other);
    let StoreError::Damaged { reason, .. } = refused(&path) else { panic!("opened") };
    assert!(reason.contains("another program"), "{reason}");
    let wal = Connection::open(&path).unwrap();
    wal.query_row("PRAGMA journal_mode = wal", [], |_| Ok(())).unwrap();
    wal.execute_batch("INSERT INTO session VALUES (2)").unwrap();
    assert!(matches!(refused(&path), StoreError::Damaged { .. }));
}

#[test]
fn a_store_without_a_write_ahead_log_waits_for_another_writer() {
    let (_folder, path) = place();
    drop(Sqlite::open(&path).unwrap());
    let other = Connection::open(&path).unwrap();
    other.pragma_update_and_check(None, "journal_mode", "delete", |_| Ok(())).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let opening = std::thread::spawn({
        let path = path.clone();
        move || Sqlite::open(path).map(drop)
    });
    std::thread::sleep(Duration::from_millis(300));
    other.execute_batch("COMMIT").unwrap();
    drop(other);
    opening.join().unwrap().unwrap();
    assert_eq!(fs::read(&path).unwrap()[18], 2, "the file has a write-ahead log");
}

#[test]
fn a_folder_is_refused() {
    let (_folder, path) = place();
    fs::create_dir(&path).unwrap();
    assert!(matches!(refused(&path), StoreError::Failed { .. }));
}

#[test]
fn a_newer_store_is_refused_unchanged() {
    let (_folder, path) = place();
    drop(stored(&Sqlite::open(&path).unwrap(), &key("s"), vec![opened("/")]));
    let newer = Connection::open(&path).unwrap();
    newer.execute_batch("PRAGMA user_version = 7").unwrap();
    // The file is still open, so only the write-ahead log contains the newer program's data.
    assert!(matches!(refused(&path), StoreError::NewerVersion { version: 7, .. }));
    drop(newer);
    assert!(matches!(refused(&path), StoreError::NewerVersion { version: 7, .. }));
}

#[test]
fn a_store_without_a_table_or_cut_short_is_damaged() {
    let (_folder, path) = place();
    let log = stored(
        &Sqlite::open(&path).unwrap(),
        &key("s"),
        vec![opened("/"), prompt(&"x".repeat(100_000))],
    );
    drop(log);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    assert!(matches!(refused(&path), StoreError::Damaged { .. }));
    fs::write(&path, whole).unwrap();
    Connection::open(&path).unwrap().execute_batch("DROP TABLE tag").unwrap();
    let StoreError::Damaged { reason, .. } = refused(&path) else { panic!("opened") };
    assert!(reason.contains("tag"), "{reason}");
}

#[test]
fn damaged_pages_are_reported_and_intact_ones_are_read() {
    let (_folder, path) = place();
    let store = Sqlite::open(&path).unwrap();
    drop(stored(&store, &key("s"), vec![opened("/"), prompt("x")]));
    drop(stored(&store, &key("t"), (0..200).map(|_| prompt(&"y".repeat(3_000))).collect()));
    drop(store);
    let mut bytes = fs::read(&path).unwrap();
    let half = bytes.len() / 2;
    bytes[half..].fill(0xA5);
    fs::write(&path, &bytes).unwrap();
    let store = Sqlite::open(&path).unwrap();
    assert_eq!(all(&store, &key("s")).len(), 2);
    let read = (0..200).map(|after| store.read(&key("t"), after)).find_map(Result::err);
    assert!(matches!(read, Some(StoreError::Damaged { .. })), "{read:?}");
    drop(store);
    assert!(fs::read(&path).unwrap() == bytes, "touched");
}

#[test]
fn an_unreadable_row_is_reported_with_its_number() {
    for (damage, expected) in [
        ("UPDATE event SET body = '{' WHERE last = 3", "event 3 of session 1"),
        (
            "UPDATE event SET body = replace(body, '\"sequence\":3', '\"sequence\":4') WHERE last = 3",
            "event 3 of session 1",
        ),
        ("UPDATE event SET body = CAST(x'FF' AS TEXT) WHERE last = 3", "event 3 of session 1"),
        ("UPDATE session SET side = 'nobody'", "session 1"),
        ("UPDATE session SET additional_directories = '7'", "session 1"),
        ("UPDATE session SET sequence = -1", "session 1"),
        ("UPDATE info SET meta = 'x'", "session 1"),
        ("UPDATE info SET title = CAST(x'FF' AS TEXT)", "session 1"),
    ] {
        let (_folder, path) = place();
        let store = Sqlite::open(&path).unwrap();
        drop(stored(
            &store,
            &key("s"),
            vec![opened("/"), meta("{\"a\":1}"), prompt("x"), title("T")],
        ));
        Connection::open(&path).unwrap().execute_batch(damage).unwrap();
        let outcome =
            store.list(&ListQuery::default()).map(drop).and(store.read(&key("s"), 0).map(drop));
        let Err(StoreError::Damaged { reason, .. }) = outcome else {
            panic!("{damage}: {outcome:?}")
        };
        assert!(reason.contains(expected), "{damage}: {reason}");
    }
}

#[test]
fn an_event_of_a_newer_form_is_reported_as_newer() {
    let (_folder, path) = place();
    let store = Sqlite::open(&path).unwrap();
    drop(stored(&store, &key("s"), vec![opened("/")]));
    Connection::open(&path)
        .unwrap()
        .execute_batch("UPDATE event SET body = replace(body, '\"v\":1', '\"v\":99')")
        .unwrap();
    assert!(matches!(store.read(&key("s"), 0), Err(StoreError::NewerVersion { version: 99, .. })));
}

#[test]
fn a_cursor_is_valid_only_for_its_own_list() {
    let (_folder, path) = place();
    let store = Sqlite::open(&path).unwrap();
    let _logs = ["a", "b", "c"].map(|id| stored(&store, &key(id), vec![opened("/")]));
    let query = ListQuery { limit: 1, cwd: Some("/".to_owned()), ..ListQuery::default() };
    let cursor = store.list(&query).unwrap().next;
    let next = ListQuery { cursor: cursor.clone(), limit: 2, ..query };
    assert_eq!(store.list(&next).unwrap().sessions.len(), 2);
    let cursor = cursor.unwrap();
    for other in [
        ListQuery { cwd: None, ..next.clone() },
        ListQuery { title: Some("x".to_owned()), ..next.clone() },
        ListQuery { cursor: Some(format!("{cursor}0")), ..next.clone() },
        ListQuery {
            cursor: Some(cursor.to_uppercase() + ""),
            cwd: Some("//".to_owned()),
            ..next.clone()
        },
        ListQuery { cursor: Some(format!("+{}", &cursor[1..])), ..next },
    ] {
        assert!(matches!(store.list(&other), Err(StoreError::InvalidCursor)), "{other:?}");
    }
}

#[test]
fn the_largest_events_are_stored() {
    let (_folder, path) = place();
    let store = Sqlite::open(&path).unwrap();
    let large = EventBody::Message {
        author: attache_session::MessageAuthor::Agent,
        message_id: None,
        content: logs::text(&"ab".repeat(5_000_000)),
    };
    let _log = stored(&store, &key("s"), vec![opened("/"), large, prompt("after")]);
    let events = all(&store, &key("s"));
    assert_eq!(events.len(), 3);
    assert_eq!(said(&events).len(), 10_000_000);
}
