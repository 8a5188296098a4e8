//! Ctrl-C, SIGTERM and time limits; no process is left running.

use crate::project::{Ended, Project};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::Child;
use std::time::{Duration, Instant};

const LONG: &str = "run sleep 1000";

/// Returns the command lines of all processes with this mark in their environment.
fn alive(mark: &str) -> Vec<String> {
    let processes = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let marked = processes.filter(|path| {
        fs::read(path.join("environ"))
            .is_ok_and(|environ| String::from_utf8_lossy(&environ).contains(mark))
    });
    marked
        .filter_map(|path| fs::read_to_string(path.join("cmdline")).ok())
        .filter(|line| !line.is_empty())
        .collect()
}

/// Waits until no process with the mark runs.
#[track_caller]
fn nothing_is_left(mark: &str) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !alive(mark).is_empty() {
        assert!(Instant::now() < deadline, "still running: {:?}", alive(mark));
        std::thread::yield_now();
    }
}

fn signal(child: &Child, number: i32) {
    let pid = i32::try_from(child.id()).unwrap();
    // SAFETY: the child has not been waited for, so the process id is still its own.
    assert_eq!(unsafe { libc::kill(pid, number) }, 0);
}

/// Runs a long command, waits until it runs, and sends the signals.
fn interrupted(mark: &str, signals: &[i32]) -> Ended {
    let project = Project::new();
    let mut child =
        project.attache(&["run", "--yes", LONG]).env("ATTACHE_TEST_MARK", mark).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut told = String::new();
    while !told.contains("◐ execute") {
        assert_ne!(stderr.read_line(&mut told).unwrap(), 0, "it ended too soon: {told}");
    }
    assert!(!alive(mark).is_empty());
    for number in signals {
        signal(&child, *number);
    }
    stderr.read_to_string(&mut told).unwrap();
    let mut ended = Ended::from(child.wait_with_output().unwrap());
    ended.stderr = told;
    ended
}

#[test]
fn ctrl_c_cancels_the_turn_and_leaves_no_process() {
    let ended = interrupted("attache-stopping-one", &[libc::SIGINT]);
    ended.failed(130, &["cancelling the turn", "cancelled"]);
    nothing_is_left("attache-stopping-one");
}

#[test]
fn a_second_ctrl_c_ends_everything() {
    interrupted("attache-stopping-two", &[libc::SIGINT, libc::SIGINT]).failed(130, &[]);
    nothing_is_left("attache-stopping-two");
}

#[test]
fn sigterm_ends_everything() {
    interrupted("attache-stopping-term", &[libc::SIGTERM]).failed(130, &["ended"]);
    nothing_is_left("attache-stopping-term");
}

#[test]
fn kill_9_leaves_no_process() {
    interrupted("attache-stopping-kill", &[libc::SIGKILL]);
    nothing_is_left("attache-stopping-kill");
}

#[test]
fn a_turn_that_takes_too_long_ends_with_8() {
    let project = Project::new();
    let mark = "attache-stopping-late";
    let output = project
        .attache(&["run", "--yes", "--timeout", "3", LONG])
        .env("ATTACHE_TEST_MARK", mark)
        .output()
        .unwrap();
    Ended::from(output).failed(8, &["longer than 3 s", "--timeout"]);
    nothing_is_left(mark);
}

#[test]
fn a_start_can_be_cancelled() {
    let project = Project::new();
    let mark = "attache-stopping-start";
    let mut command =
        project.attache(&["run", "--agent", "sh -c 'echo up >started; sleep 1000'", "hello"]);
    let child = command.env("ATTACHE_TEST_MARK", mark).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(10);
    while !project.path().join("started").exists() {
        assert!(Instant::now() < deadline, "the agent was not started");
        std::thread::yield_now();
    }
    signal(&child, libc::SIGINT);
    Ended::from(child.wait_with_output().unwrap()).failed(130, &["cancelled before"]);
    nothing_is_left(mark);
}

#[test]
fn a_closed_pipe_ends_the_run() {
    let project = Project::new();
    let mut child = project.attache(&["run", "--json", "summarize this project"]).spawn().unwrap();
    drop(child.stdout.take());
    let ended = Ended::from(child.wait_with_output().unwrap());
    ended.failed(130, &[]);
    assert_eq!(ended.stderr, "");
}

/// An agent that stops answering at some point, and that ignores cancellation, the end of its input
/// and signals.
fn deaf(project: &Project, until: &str) -> String {
    let script = r#"
trap '' TERM INT HUP
while :; do
  IFS= read -r line || { sleep 100; continue; }
  id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  case "$line" in
    *'"initialize"'*) [ "$1" = initialize ] || printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1}}\n' "$id" ;;
    *'"session/new"'*) [ "$1" = new ] || printf '{"jsonrpc":"2.0","id":%s,"result":{"sessionId":"s","modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"A"},{"id":"b","name":"B"}]}}}\n' "$id" ;;
  esac
done
"#;
    fs::write(project.path().join("deaf.sh"), script).unwrap();
    format!("sh {}/deaf.sh {until}", project.path().display())
}

/// Wherever the agent stops answering, the run ends with 8 soon after the timeout, and no process
/// is left.
#[test]
fn the_timeout_covers_the_start_and_an_agent_that_ignores_cancellation() {
    for (until, arguments, says) in [
        ("initialize", &[][..], "the agent did not start within 3 s"),
        ("new", &[], "the session did not open within 3 s"),
        ("mode", &["--mode", "b"], "the options were not set within 3 s"),
        ("prompt", &[], "the turn took longer than 3 s"),
    ] {
        let project = Project::new();
        let mark = format!("attache-stopping-deaf-{until}");
        let agent = deaf(&project, until);
        let mut all = vec!["run", "--timeout", "3", "--agent", &agent];
        all.extend(arguments);
        all.push("hello");
        let began = Instant::now();
        let output = project.attache(&all).env("ATTACHE_TEST_MARK", &mark).output().unwrap();
        let took = began.elapsed();
        Ended::from(output).failed(8, &[says, "--timeout"]);
        // The limit of 14 s leaves a margin for busy machines. If ending the agent had no time
        // limit of its own, the run would take 13 s longer.
        assert!(took < Duration::from_secs(14), "{until}: it took {took:?}");
        nothing_is_left(&mark);
    }
}

#[test]
fn a_flag_limits_the_handshake() {
    let project = Project::new();
    let agent = deaf(&project, "initialize");
    let ended = project.run(&["run", "--start-timeout", "0.3", "--agent", &agent, "hello"]);
    ended.failed(
        3,
        &["did not answer initialize within 0.3 s", "Wait longer with --start-timeout SECONDS"],
    );
    // A limit that is too large for the clock means no limit.
    assert_eq!(
        project.run(&["run", "--timeout", "1e19", "--start-timeout", "1e19", "help"]).code,
        Some(0)
    );
}
