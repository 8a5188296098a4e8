//! Checks that no process outlives its owner, whatever it forked and however the owner ended.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails at the first unexpected value"
)]

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use attache_host::{Child, Launch, StopPatience};
use tokio::io::AsyncReadExt;

#[path = "marker/marker.rs"]
#[allow(dead_code, reason = "each test binary uses a part")]
mod marker;

const SHORT: Duration = Duration::from_millis(20);
const HASTE: StopPatience = StopPatience { after_stdin: SHORT, after_terminate: SHORT };

/// A wrapper as npx starts it, a descendant that left the group and the session, and one that
/// ignores signals. Prints a line when all of them are running.
const FAMILY: &str = "trap '' TERM; setsid sh -c 'trap \"\" TERM; sleep 1000 & echo a; wait' & sh -c 'echo b; sleep 1000' & \
    (setsid sh -c '(setsid sleep 1000 & echo c) & wait; sleep 1000' &) ; wait; sleep 1000";

async fn family(marker: &str, script: &str) -> Child {
    let mut child = Launch::shell(script).env(marker::NAME, marker).start().unwrap();
    let mut greetings = [0; 6];
    child.take_stdout().unwrap().read_exact(&mut greetings).await.unwrap();
    assert!(marker::alive(marker).len() >= 6, "all processes run: {:?}", marker::alive(marker));
    child
}

#[tokio::test]
async fn stop_ends_even_descendants_that_left_the_session() {
    let marker = marker::fresh();
    let mut child = family(&marker, FAMILY).await;
    assert_eq!(child.stop(HASTE).await.signal, Some(9));
    assert_eq!(marker::alive(&marker), [], "the exit is reported only after all are gone");
}

#[tokio::test]
async fn kill_leaves_nothing() {
    let marker = marker::fresh();
    let child = family(&marker, FAMILY).await;
    child.kill();
    assert_eq!(child.wait().await.signal, Some(9));
    assert_eq!(marker::alive(&marker), []);
}

#[tokio::test]
async fn drop_leaves_nothing_and_no_zombie() {
    let marker = marker::fresh();
    let child = family(&marker, FAMILY).await;
    let watch = child.watch();
    drop(child);
    assert_eq!(watch.wait().await.signal, Some(9));
    assert_eq!(marker::alive(&marker), []);
}

#[test]
fn a_child_dropped_after_its_runtime_leaves_nothing() {
    let marker = marker::fresh();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let child = runtime.block_on(family(&marker, FAMILY));
    drop(runtime);
    assert!(!marker::alive(&marker).is_empty());
    drop(child);
    marker::expect_none(&marker);
}

#[tokio::test]
async fn the_descendants_of_a_program_end_with_it() {
    let marker = marker::fresh();
    let script = "setsid sleep 1000 & sh -c 'sleep 1000 & sleep 1000' & exit 6";
    let child = Launch::shell(script).env(marker::NAME, &marker).start().unwrap();
    assert_eq!(child.wait().await.code, Some(6));
    assert_eq!(marker::alive(&marker), []);
}

#[tokio::test]
async fn processes_that_keep_forking_do_not_escape() {
    let marker = marker::fresh();
    // Each process in the chain leaves the session and the group, starts the next one and ends.
    let chain = "setsid sh -c 'sleep 0.001; exec sh \"$0\" \"$0\"' \"$0\" & exit 0";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("chain");
    std::fs::write(&file, chain).unwrap();
    let script = format!("sh {0} {0}; sleep 1000", file.display());
    let child = Launch::shell(script).env(marker::NAME, &marker).start().unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    child.kill();
    child.wait().await;
    assert_eq!(marker::alive(&marker), []);
}

#[tokio::test]
async fn the_program_ends_with_a_killed_guardian() {
    let marker = marker::fresh();
    let child = Launch::new("sleep").arg("1000").env(marker::NAME, &marker).start().unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.pid())).unwrap();
    let guardian: i32 =
        stat.rsplit(") ").next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    // SAFETY: the guardian is a child of this process that has not been waited for.
    unsafe { libc::kill(guardian, libc::SIGKILL) };
    assert_eq!(child.wait().await.signal, Some(9));
    marker::expect_none(&marker);
}

#[tokio::test]
async fn signals_to_our_group_reach_neither_guardian_nor_program() {
    let child = Launch::new("sleep").arg("1000").start().unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.pid())).unwrap();
    let fields: Vec<i32> = stat
        .rsplit(") ")
        .next()
        .unwrap()
        .split(' ')
        .skip(1)
        .take(3)
        .map(|field| field.parse().unwrap())
        .collect();
    // SAFETY: system calls without arguments.
    let (own_group, own_session) = unsafe { (libc::getpgid(0), libc::getsid(0)) };
    let [guardian, group, session] = fields[..] else { panic!("{stat}") };
    assert_eq!((group, session), (child.pid() as i32, guardian));
    assert_ne!((group, session), (own_group, own_session));
    // SAFETY: the guardian is a child of this process that has not been waited for.
    unsafe { libc::kill(guardian, libc::SIGTERM) };
    assert!(tokio::time::timeout(SHORT, child.wait()).await.is_err(), "a guardian ignores SIGTERM");
}

#[tokio::test]
async fn an_idle_guardian_sleeps() {
    let child = Launch::new("sleep").arg("1000").start().unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.pid())).unwrap();
    let guardian = stat.rsplit(") ").next().unwrap().split(' ').nth(1).unwrap().to_owned();
    let switches = || {
        let status = std::fs::read_to_string(format!("/proc/{guardian}/status")).unwrap();
        status.lines().filter(|line| line.starts_with("voluntary")).collect::<String>()
    };
    let asleep =
        || std::fs::read_to_string(format!("/proc/{guardian}/stat")).unwrap().contains(") S ");
    marker::eventually("the guardian never sleeps", asleep);
    let before = switches();
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(switches(), before);
}

/// Not a separate test: the process that the next test kills.
#[tokio::test]
async fn supervisor() {
    if std::env::var_os(marker::NAME).is_none() {
        return;
    }
    let mut child = Launch::shell("setsid sleep 1000 & sh -c 'echo ready; sleep 1000'; exit 1")
        .start()
        .unwrap();
    child.take_stdout().unwrap().read_exact(&mut [0; 6]).await.unwrap();
    println!("\nready");
    child.wait().await;
}

#[test]
fn kill_9_of_the_owner_leaves_no_process() {
    let marker = marker::fresh();
    let mut supervisor = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "supervisor", "--nocapture"])
        .env(marker::NAME, &marker)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(supervisor.stdout.take().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|line| line == "ready"));
    // Supervisor, guardian, wrapper, its shell's sleep, the setsid sleep.
    assert!(marker::alive(&marker).len() >= 5, "{:?}", marker::alive(&marker));
    supervisor.kill().unwrap();
    supervisor.wait().unwrap();
    marker::expect_none(&marker);
}
