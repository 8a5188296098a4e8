//! Damaged stores: intact sessions are kept, damaged ones are reported, and nothing is deleted.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails at the first unexpected value"
)]

#[path = "logs/logs.rs"]
#[allow(dead_code, reason = "each test binary uses a part")]
mod logs;

use attache_session::{ArchivedFilter, ListQuery, Store, StoreError};
use attache_store::{Repair, Sqlite};
use logs::{all, commit, event, key, opened, prompt, stored, title};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const PAGE: usize = 4096;

/// A store with many sessions of few pages, and few sessions of many pages.
fn large(path: &Path) -> BTreeSet<String> {
    let store = Sqlite::open(path).unwrap();
    let ids: Vec<String> = (0..40).map(|number| format!("session-{number:02}")).collect();
    for (number, id) in ids.iter().enumerate() {
        let mut bodies = vec![opened("/home/ann"), title(&format!("Title {number}"))];
        bodies.extend((0..number % 7 * 3).map(|at| prompt(&format!("{at} {}", "x".repeat(900)))));
        if number % 20 == 0 {
            bodies.push(prompt(&"long ".repeat(4_000)));
        }
        let mut log = stored(&store, &key(id), bodies);
        if number % 10 == 0 {
            log.keep_checkpoint(Some("state ".repeat(2_000)));
        }
    }
    ids.into_iter().collect()
}

fn listed(store: &Sqlite) -> BTreeSet<String> {
    let query =
        ListQuery { archived: ArchivedFilter::Include, limit: 1000, ..ListQuery::default() };
    let page = store.list(&query).unwrap();
    page.sessions.iter().map(|listed| listed.key.session_id.as_str().to_owned()).collect()
}

/// Checks that the store works as usual and that every listed session can be read.
fn works(store: &Sqlite, new: &str) -> BTreeSet<String> {
    let sessions = listed(store);
    for id in &sessions {
        assert!(!all(store, &key(id)).is_empty(), "{id}");
        store.summary(&key(id)).unwrap();
    }
    let search = ListQuery { text: Some("nowhere".to_owned()), ..ListQuery::default() };
    assert!(store.list(&search).unwrap().sessions.is_empty());
    drop(stored(store, &key(new), vec![opened("/"), title("New"), prompt("x")]));
    assert_eq!(all(store, &key(new)).len(), 3);
    sessions
}

fn names(repair: &Repair) -> BTreeSet<String> {
    repair.left_out.iter().map(|session| session.session_id.clone()).collect()
}

/// Damages a copy of `whole`, opens it, and checks that every session is either there or reported
/// as lost, and that the damaged file is kept.
fn damaged(
    whole: &[u8],
    every: &BTreeSet<String>,
    what: &str,
    damage: impl FnOnce(&mut Vec<u8>),
) -> Option<Repair> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.db");
    let mut bytes = whole.to_vec();
    damage(&mut bytes);
    fs::write(&path, &bytes).unwrap();
    let (store, repair) =
        Sqlite::open_repaired(&path).unwrap_or_else(|error| panic!("{what}: {error}"));
    let there = works(&store, "new");
    let left_out = repair.as_ref().map(names).unwrap_or_default();
    let nameless = repair.as_ref().map_or(0, |repair| repair.nameless);
    let lost: Vec<_> = every.difference(&there).filter(|id| !left_out.contains(*id)).collect();
    assert!(
        lost.len() as u64 <= nameless,
        "{what}: {lost:?} are lost without a report: {repair:?}"
    );
    if let Some(repair) = &repair {
        assert!(
            fs::read(&repair.damaged).unwrap() == bytes,
            "{what}: the damaged file is kept as it was"
        );
        assert_eq!(repair.kept, there.len() as u64, "{what}");
    }
    drop(store);
    let (_, again) = Sqlite::open_repaired(&path).unwrap();
    assert_eq!(again, None, "{what}: the store is intact afterwards");
    repair
}

/// Fills `bytes` with noise that depends only on `seed`.
fn noise(bytes: &mut [u8], seed: usize) {
    let mut random = seed.wrapping_mul(2_654_435_761) | 1;
    for byte in bytes {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *byte = (random >> 33) as u8;
    }
}

/// Damages the first pages, which contain the roots, and some others, each in one of three ways.
fn pages_in_turn(whole: &[u8], every: &BTreeSet<String>, most: usize) {
    for page in (0..14).chain((14..whole.len() / PAGE).step_by(17)) {
        let (start, end) = (page * PAGE, (page + 1) * PAGE);
        let ways = [
            ("all of page", start, end),
            ("the header of page", start, start + 64),
            ("the end of page", end - 600, end),
        ];
        for (what, from, to) in ways.into_iter().skip(page % 3).take(1) {
            let what = format!("{what} {page}");
            let repair = damaged(whole, every, &what, |bytes| noise(&mut bytes[from..to], page));
            let left_out = repair.map_or(0, |repair| {
                names(&repair).len() + usize::try_from(repair.nameless).unwrap()
            });
            assert!(
                left_out <= most,
                "{what}: {left_out} sessions are left out because of one page"
            );
        }
    }
}

#[test]
fn one_damaged_page_affects_only_the_sessions_on_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.db");
    let every = large(&path);
    let whole = fs::read(&path).unwrap();
    assert!(whole.len() > 40 * PAGE, "{} pages", whole.len() / PAGE);
    pages_in_turn(&whole, &every, 12);
}

fn saved() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/tests/saved/sessions.db")
}

#[test]
fn one_damaged_page_in_an_older_store_costs_only_its_sessions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.db");
    fs::copy(saved(), &path).unwrap();
    let store = Sqlite::open(&path).unwrap();
    let query =
        ListQuery { archived: ArchivedFilter::Include, limit: 1000, ..ListQuery::default() };
    let sessions = store.list(&query).unwrap().sessions;
    drop(store);
    assert!(sessions.len() > 5);
    let whole = fs::read(saved()).unwrap();
    for page in (0..14).chain((14..whole.len() / PAGE).step_by(5)) {
        let path = folder.path().join(format!("{page}.db"));
        let mut bytes = whole.clone();
        noise(&mut bytes[page * PAGE..(page + 1) * PAGE], page);
        fs::write(&path, &bytes).unwrap();
        let (store, repair) =
            Sqlite::open_repaired(&path).unwrap_or_else(|error| panic!("page {page}: {error}"));
        let left_out = repair
            .map_or(0, |repair| repair.left_out.len() + usize::try_from(repair.nameless).unwrap());
        let there = store.list(&query).unwrap().sessions.len();
        assert!(there + left_out >= sessions.len(), "page {page}: {there} and {left_out}");
        drop(stored(&store, &key("new"), vec![opened("/")]));
    }
}

#[test]
fn a_truncated_file_keeps_what_is_before_the_cut() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.db");
    let every = large(&path);
    let whole = fs::read(&path).unwrap();
    let mut kept = Vec::new();
    for part in [16, 4, 2] {
        let length = whole.len() / part + 77;
        let repair = damaged(&whole, &BTreeSet::new(), &format!("cut at {length}"), |bytes| {
            bytes.truncate(length)
        });
        kept.push(repair.unwrap().kept);
    }
    assert!(kept.is_sorted() && kept[2] > 10, "{kept:?} of {}", every.len());
    for length in [100, 300, 512, 4000] {
        let repair = damaged(&whole, &BTreeSet::new(), &format!("cut at {length}"), |bytes| {
            bytes.truncate(length)
        });
        assert_eq!(repair.unwrap().kept, 0);
    }
}

#[test]
fn an_empty_file_is_a_new_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.db");
    fs::write(&path, b"").unwrap();
    let (store, repair) = Sqlite::open_repaired(&path).unwrap();
    assert_eq!(repair, None);
    works(&store, "new");
}

#[test]
fn repair_reads_the_write_ahead_log() {
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (folder.path().join("sessions.db"), folder.path().join("copy.db"));
    let every = large(&path);
    let store = Sqlite::open(&path).unwrap();
    let mut log = stored(&store, &key("written-last"), vec![opened("/"), prompt("first")]);
    log.append(&event(3, prompt("last")));
    commit(&*log).unwrap();
    // The state after a crash: the content of the write-ahead log is not in the file yet.
    let mut bytes = fs::read(&path).unwrap();
    noise(&mut bytes[..PAGE], 3);
    fs::write(&copy, &bytes).unwrap();
    let wal = fs::read(folder.path().join("sessions.db-wal")).unwrap();
    fs::write(folder.path().join("copy.db-wal"), &wal).unwrap();
    let (store, repair) = Sqlite::open_repaired(&copy).unwrap();
    let there = works(&store, "new");
    assert!(there.is_superset(&every) && there.contains("written-last"), "{repair:?}");
    assert_eq!(all(&store, &key("written-last")).len(), 3);
    drop(store);
    // The rest can be read even if the write-ahead log is damaged.
    for cut in [0, 20, 3000] {
        let path = folder.path().join(format!("{cut}.db"));
        fs::write(&path, &bytes).unwrap();
        let mut wal = wal.clone();
        noise(&mut wal[cut..], cut);
        fs::write(folder.path().join(format!("{cut}.db-wal")), wal).unwrap();
        let (store, repair) = Sqlite::open_repaired(&path).unwrap();
        let repair = repair.unwrap();
        assert!(
            works(&store, "new").union(&names(&repair)).count() + 1 >= every.len(),
            "{repair:?}"
        );
    }
}

#[test]
fn damage_to_events_is_found_and_the_session_is_named() {
    for damage in [
        "UPDATE event SET body = '{' WHERE session = 7 AND last = 2",
        "UPDATE session SET additional_directories = '7' WHERE id = 7",
        "UPDATE session SET side = 'nobody' WHERE id = 7",
        "UPDATE info SET meta = 'x' WHERE session = 7",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sessions.db");
        let every = large(&path);
        rusqlite::Connection::open(&path).unwrap().execute_batch(damage).unwrap();
        let (store, repair) = Sqlite::open_repaired(&path).unwrap();
        let there = works(&store, "new");
        // Labels and folders are rebuilt from the events, but messages are not.
        let lost: Vec<_> = every.difference(&there).cloned().collect();
        match repair {
            Some(repair) => {
                let named: Vec<_> = names(&repair).into_iter().collect();
                let nameless = usize::try_from(repair.nameless).unwrap();
                assert_eq!(named.len() + nameless, lost.len(), "{damage}: {repair:?}");
                // The values in a session's row are rebuilt from its events.
                let expected = usize::from(damage.contains("event") || damage.contains("side"));
                assert_eq!(lost.len(), expected, "{damage}: {repair:?}");
                assert!(named.iter().all(|id| lost.contains(id)), "{damage}: {repair:?}");
                let titles: Vec<_> =
                    repair.left_out.iter().map(|session| session.title.clone()).collect();
                assert!(
                    titles.iter().all(|title| title.as_deref() == Some("Title 6")),
                    "{titles:?}"
                );
            }
            None => panic!("{damage}: nothing was found"),
        }
    }
}

#[test]
fn files_of_other_programs_and_files_in_use_are_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.db");
    for bytes in [&b"# Notes\n"[..], &[b'x'; 9000], &[0; 5000]] {
        fs::write(&path, bytes).unwrap();
        assert!(matches!(Sqlite::open_repaired(&path), Err(StoreError::Damaged { .. })));
        assert!(fs::read(&path).unwrap() == bytes);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
    fs::remove_file(&path).unwrap();
    let store = Sqlite::open(&path).unwrap();
    drop(stored(&store, &key("s"), vec![opened("/"), prompt("x")]));
    rusqlite::Connection::open(&path)
        .unwrap()
        .execute_batch("UPDATE session SET side = 'x'")
        .unwrap();
    assert!(
        matches!(Sqlite::open_repaired(&path), Err(StoreError::Damaged { .. })),
        "this process has it open"
    );
    assert!(!folder.path().join("sessions.db.damaged-1").exists());
    drop(store);
    assert!(Sqlite::open_repaired(&path).unwrap().1.is_some());
    assert!(folder.path().join("sessions.db.damaged-1").exists());
}
