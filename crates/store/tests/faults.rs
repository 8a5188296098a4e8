//! Writes that fail: on a full disk, and at every step.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails at the first unexpected value"
)]

#[path = "logs/logs.rs"]
#[allow(dead_code, reason = "each test binary uses a part")]
mod logs;

use attache_session::{Event, ListQuery, Log, SessionKey, Store, StoreError};
use attache_store::Sqlite;
use logs::{all, commit, event, key, message, meta, opened, prompt, record, said, stored, title};
use std::ops::Range;
use std::path::Path;

#[test]
fn a_full_disk_is_reported_and_everything_is_stored_once_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.db");
    let store = Sqlite::open_full_at(&path, 80).unwrap();
    drop(stored(&store, &key("old"), vec![opened("/"), prompt(&"o".repeat(150_000))]));
    let mut log = stored(&store, &key("s"), vec![opened("/")]);
    let mut number = 1;
    let error = loop {
        number += 1;
        log.append(&event(number, prompt(&"x".repeat(5_000))));
        match commit(&*log) {
            Ok(()) => assert!(number < 1_000, "the disk is never full"),
            Err(error) => break error,
        }
    };
    assert!(
        matches!(&error, StoreError::DiskFull { path } if path.ends_with("sessions.db")),
        "{error:?}"
    );
    assert!(log.backlog() > 5_000);
    assert_eq!(all(&store, &key("s")).len() as u64, number - 1);
    assert_eq!(store.summary(&key("s")).unwrap().sequence, number - 1);
    assert_eq!(store.list(&ListQuery::default()).unwrap().sessions.len(), 2);
    log.append(&event(number + 1, message("more")));
    assert!(matches!(commit(&*log), Err(StoreError::DiskFull { .. })));

    store.delete(&key("old")).unwrap();
    commit(&*log).unwrap();
    assert_eq!(log.backlog(), 0);
    let numbers: Vec<u64> = all(&store, &key("s")).iter().map(|event| event.sequence).collect();
    assert_eq!(numbers, (1..=number + 1).collect::<Vec<_>>());
}

#[test]
fn a_session_that_cannot_be_stored_does_not_affect_others() {
    let folder = tempfile::tempdir().unwrap();
    let store = Sqlite::open_full_at(folder.path().join("sessions.db"), 60).unwrap();
    let mut large = stored(&store, &key("large"), vec![opened("/")]);
    let mut small = stored(&store, &key("small"), vec![opened("/")]);
    large.append(&event(2, prompt(&"x".repeat(500_000))));
    small.append(&event(2, prompt("x")));
    let (first, second) = (large.commit(), small.commit());
    assert!(matches!(logs::wait(first), Err(StoreError::DiskFull { .. })));
    logs::wait(second).unwrap();
    assert_eq!(all(&store, &key("small")).len(), 2);
}

/// What the writer of a session knows about the session.
struct Written {
    key: SessionKey,
    log: Box<dyn Log>,
    appended: Vec<Event>,
    confirmed: usize,
    /// The number of failed commits.
    failed: usize,
}

impl Written {
    fn append(&mut self, body: attache_session::EventBody) {
        let event = event(self.appended.len() as u64 + 1, body);
        self.log.append(&event);
        self.appended.push(event);
    }

    fn commit(&mut self) {
        match commit(&*self.log) {
            Ok(()) => self.confirmed = self.appended.len(),
            Err(StoreError::Failed { message, source: Some(_) }) => {
                assert!(
                    message.contains("sessions.db cannot be written (a step was made to fail)"),
                    "{message}"
                );
                self.failed += 1;
            }
            Err(error) => panic!("{error:?}"),
        }
    }
}

/// Returns whether the events are a prefix of `appended` (whose texts may have been joined), and
/// the number of the last event.
fn is_beginning(events: &[Event], appended: &[Event]) -> u64 {
    let last = events.last().map_or(0, |event| event.sequence);
    let expected = &appended[..usize::try_from(last).unwrap()];
    let others = |events: &[Event]| -> Vec<Event> {
        let others = events.iter().filter(|event| said(std::slice::from_ref(event)).is_empty());
        others.cloned().collect()
    };
    assert_eq!(said(events), said(expected));
    assert_eq!(others(events), others(expected));
    last
}

/// Writes to a few sessions in turn. Returns how many commits failed.
fn written_with_failing(path: &Path, steps: Range<u64>, forever: bool) -> usize {
    let store = Sqlite::open_failing(path, steps).unwrap();
    let new = |id: &str| Written {
        key: key(id),
        log: store.create(&key(id)).unwrap(),
        appended: Vec::new(),
        confirmed: 0,
        failed: 0,
    };
    let mut sessions = [new("a"), new("b")];
    for round in 0..4 {
        for session in &mut sessions {
            session.append(if round == 0 {
                opened("/")
            } else {
                prompt(&format!("prompt {round}"))
            });
            session.append(message("one "));
            session.append(message("two"));
            session.append(record(&round.to_string()));
            session.append(meta(&format!(r#"{{"attache/labels":{{"tags":["t{round}","u"]}}}}"#)));
            session.commit();
            session.append(title(&format!("Title {round}")));
        }
        for session in &mut sessions {
            session.commit();
            // Reading works, whatever happens to the writer.
            if let Ok(summary) = store.summary(&session.key) {
                assert!(summary.sequence >= session.confirmed as u64);
                assert!(
                    is_beginning(&all(&store, &session.key), &session.appended)
                        >= session.confirmed as u64
                );
            } else {
                assert_eq!(session.confirmed, 0);
            }
        }
    }
    if !forever {
        sessions.iter_mut().for_each(Written::commit);
    }
    let failed = sessions.iter().map(|session| session.failed).sum();
    let left: Vec<_> = sessions
        .into_iter()
        .map(|Written { key, appended, confirmed, .. }| (key, appended, confirmed))
        .collect();
    drop(store);
    let store = Sqlite::open(path).unwrap();
    for (key, appended, confirmed) in left {
        if confirmed == 0 {
            continue;
        }
        assert!(
            forever || confirmed == appended.len(),
            "no step was left that could fail in the last commit"
        );
        let last = is_beginning(&all(&store, &key), &appended);
        assert!(last >= confirmed as u64, "only {last} of {confirmed} confirmed events are left");
        let summary = store.summary(&key).unwrap();
        let mut folded = attache_session::Summary::default();
        appended[..usize::try_from(last).unwrap()].iter().for_each(|event| folded.apply(event));
        assert_eq!(summary, folded);
        let tag = attache_session::Labels::of(&summary.info).tags[0].clone();
        let tagged = store.list(&ListQuery { tag: Some(tag), ..ListQuery::default() }).unwrap();
        assert!(tagged.sessions.iter().any(|listed| listed.key == key));
        store.open(&key).unwrap();
    }
    failed
}

#[test]
fn a_failed_step_loses_nothing_and_the_next_commit_retries_it() {
    let mut failed = 0;
    for step in 0..120 {
        let folder = tempfile::tempdir().unwrap();
        failed += written_with_failing(&folder.path().join("sessions.db"), step..step + 1, false);
    }
    assert!(failed > 10, "only {failed} commits failed: the steps do not reach the disk");
}

#[test]
fn a_failing_disk_keeps_confirmed_events() {
    for step in (0..120).step_by(7) {
        let folder = tempfile::tempdir().unwrap();
        let failed = written_with_failing(&folder.path().join("sessions.db"), step..u64::MAX, true);
        assert!(failed > 0 || step > 60, "{step}");
    }
}

#[test]
fn a_delete_that_fails_at_any_step_leaves_the_session_whole() {
    for step in 0..6 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sessions.db");
        drop(stored(
            &Sqlite::open(&path).unwrap(),
            &key("s"),
            vec![opened("/"), title("T"), prompt("x")],
        ));
        let store = Sqlite::open_failing(&path, step..step + 1).unwrap();
        let outcome = store.delete(&key("s"));
        assert_eq!(outcome.is_err(), step < 5, "{step}: {outcome:?}");
        assert_eq!(store.summary(&key("s")).is_ok(), step < 5);
        store.delete(&key("s")).unwrap();
        assert!(matches!(store.summary(&key("s")), Err(StoreError::NotFound(_))));
    }
}

#[test]
fn a_failed_fork_is_retried() {
    for step in 0..5 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sessions.db");
        drop(stored(
            &Sqlite::open(&path).unwrap(),
            &key("s"),
            vec![opened("/"), title("T"), prompt("x")],
        ));
        let store = Sqlite::open_failing(&path, step..step + 1).unwrap();
        let fork = store.fork(&key("s"), None, &key("t")).unwrap();
        assert!(matches!(commit(&*fork), Err(StoreError::Failed { .. })), "{step}");
        assert!(matches!(store.summary(&key("t")), Err(StoreError::NotFound(_))));
        commit(&*fork).unwrap();
        assert_eq!(all(&store, &key("t")), all(&store, &key("s")));
    }
}
