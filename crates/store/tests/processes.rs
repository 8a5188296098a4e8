//! Several processes on one store, and one that can only read it.

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

use attache_session::{ListQuery, Store, StoreError};
use attache_store::Sqlite;
use logs::{all, commit, event, key, opened, prompt, stored};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

/// The environment variables that tell a child its task and the path of the store.
const TASK: &str = "ATTACHE_TEST_TASK";
const STORE: &str = "ATTACHE_TEST_STORE";

/// Not a test of its own, but the code of the other processes.
#[test]
fn other() {
    let (Some(path), Ok(task)) = (std::env::var_os(STORE), std::env::var(TASK)) else { return };
    let (task, session) = task.split_once(' ').unwrap();
    // All children begin at the same time, when the parent closes the pipe.
    if task != "hold" {
        std::io::stdin().lines().for_each(drop);
    }
    match task {
        "write" => write(&Sqlite::open(path).unwrap(), session),
        "hold" => {
            let store = Sqlite::open(path).unwrap();
            let _log = stored(&store, &key(session), vec![opened("/")]);
            println!("\nready");
            std::io::stdout().flush().unwrap();
            std::io::stdin().lines().for_each(drop);
        }
        "read" => read_only(Path::new(&path)),
        task => panic!("{task}"),
    }
}

fn write(store: &Sqlite, session: &str) {
    let mut log = store.create(&key(session)).unwrap();
    for number in 1..=100 {
        log.append(&event(number, prompt(&format!("{session} {number}"))));
        commit(&*log).unwrap();
    }
}

/// Checks that everything can be read and that nothing can be written.
fn read_only(path: &Path) {
    let store = Sqlite::open(path).unwrap();
    assert!(store.is_read_only());
    assert_eq!(all(&store, &key("s")).len(), 2);
    assert_eq!(store.summary(&key("s")).unwrap().sequence, 2);
    assert_eq!(
        store
            .list(&ListQuery { text: Some("xyz".to_owned()), ..ListQuery::default() })
            .unwrap()
            .sessions
            .len(),
        1
    );
    for error in [
        store.create(&key("new")).map(drop),
        store.open(&key("s")).map(drop),
        store.fork(&key("s"), None, &key("new")).map(drop),
        store.delete(&key("s")),
    ] {
        assert!(matches!(error, Err(StoreError::ReadOnly { .. })), "{error:?}");
    }
}

fn start(program: &Path, task: &str, path: &Path, user: Option<u32>) -> (Child, ChildStdin) {
    let mut command = Command::new(program);
    command.args(["--exact", "other", "--nocapture"]).env(TASK, task).env(STORE, path);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    if let Some(user) = user {
        command.uid(user).gid(user).current_dir("/");
    }
    let mut child = command.spawn().unwrap();
    let input = child.stdin.take().unwrap();
    (child, input)
}

fn this() -> std::path::PathBuf {
    std::env::current_exe().unwrap()
}

fn is_child() -> bool {
    std::env::var_os(TASK).is_some()
}

#[test]
fn eight_processes_create_and_write_one_store_at_once() {
    if is_child() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    eight_write(&folder.path().join("deep/sessions.db"));
    // A process that found another one making the store may have made this empty file.
    let empty = folder.path().join("empty.db");
    fs::write(&empty, "").unwrap();
    eight_write(&empty);
}

fn eight_write(path: &Path) {
    let children: Vec<_> =
        (0..8).map(|number| start(&this(), &format!("write s{number}"), path, None)).collect();
    let (children, inputs): (Vec<_>, Vec<_>) = children.into_iter().unzip();
    drop(inputs);
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    let store = Sqlite::open(path).unwrap();
    assert_eq!(store.list(&ListQuery::default()).unwrap().sessions.len(), 8);
    for number in 0..8 {
        let events = all(&store, &key(&format!("s{number}")));
        assert_eq!(events.len(), 100);
        assert!(
            events
                .iter()
                .all(|event| event.body == prompt(&format!("s{number} {}", event.sequence)))
        );
    }
}

#[test]
fn a_session_that_another_process_writes_is_in_use_until_that_ends() {
    if is_child() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.db");
    let store = Sqlite::open(&path).unwrap();
    for (round, kill) in [true, false].into_iter().enumerate() {
        let session = key(&format!("s{round}"));
        let (mut child, input) = start(&this(), &format!("hold s{round}"), &path, None);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap() == "ready"));
        assert!(matches!(store.open(&session), Err(StoreError::InUse(_))));
        assert!(matches!(store.delete(&session), Err(StoreError::InUse(_))));
        assert!(matches!(store.create(&session), Err(StoreError::AlreadyExists(_))));
        assert_eq!(all(&store, &session).len(), 1, "reading needs no lock");
        let fork = store.fork(&session, None, &key(&format!("fork {round}"))).unwrap();
        commit(&*fork).unwrap();
        if kill {
            child.kill().unwrap();
        }
        drop(input);
        child.wait().unwrap();
        let mut log = store.open(&session).unwrap();
        log.append(&event(2, prompt("mine now")));
        commit(&*log).unwrap();
        drop(log);
        store.delete(&session).unwrap();
    }
}

/// Root may write every file, so another user reads the store: in an idle folder, and in one that
/// is being written to.
#[test]
fn a_read_only_store_can_be_read() {
    if is_child() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("a %41 folder?");
    std::fs::create_dir(&inner).unwrap();
    let path = inner.join("sessions.db");
    let program = folder.path().join("test");
    std::fs::copy(this(), &program).unwrap();
    let mode = |path: &Path, mode| {
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap()
    };
    let is_root =
        std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(folder.path()).unwrap()) == 0;
    let user = is_root.then_some(65_534);

    let store = Sqlite::open(&path).unwrap();
    drop(stored(&store, &key("s"), vec![opened("/"), prompt("xyz")]));
    mode(folder.path(), 0o755);
    let close = || {
        mode(&path, 0o444);
        for ending in ["-wal", "-shm"] {
            let beside = inner.join(format!("sessions.db{ending}"));
            if beside.exists() {
                mode(&beside, 0o444);
            }
        }
        mode(&inner, 0o555);
    };
    let read = || {
        let (child, input) = start(&program, "read s", &path, user);
        drop(input);
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    };
    close();
    read();
    mode(&inner, 0o755);
    mode(&path, 0o644);
    drop(store);
    close();
    read();
    mode(&inner, 0o755);
}
