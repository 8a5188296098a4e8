//! `attache trace`: recording without changing anything.

use crate::project::Project;
use crate::script::Script;
use serde_json::Value;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// Runs `attache trace` around `sh -c SCRIPT`, recording to `tap.jsonl`.
fn tapped(project: &Project, script: &str) -> Command {
    let mut command = project.attache(&["trace", "--file", "tap.jsonl", "--", "sh", "-c", script]);
    command.stdin(Stdio::piped());
    command
}

fn started(project: &Project, script: &str) -> (Child, ChildStdin, ChildStdout) {
    let mut child = tapped(project, script).spawn().unwrap();
    let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    (child, stdin, stdout)
}

fn recorded(project: &Project) -> Vec<Value> {
    let text = fs::read_to_string(project.path().join("tap.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Sends these bytes through `cat` and returns its output.
fn through_cat(project: &Project, bytes: &[u8]) -> Vec<u8> {
    let (mut child, mut stdin, mut stdout) = started(project, "exec cat");
    let bytes = bytes.to_vec();
    let writing = std::thread::spawn(move || stdin.write_all(&bytes).unwrap());
    let mut out = Vec::new();
    stdout.read_to_end(&mut out).unwrap();
    writing.join().unwrap();
    assert!(child.wait().unwrap().success());
    out
}

#[test]
fn every_byte_passes_unchanged_and_is_recorded_once() {
    let project = Project::empty();
    let bytes =
        b"{\"a\": 1 }\r\n\n\xff\xfe\0\x1b[31m\n{\"token\":\"s3cret\"}\n{\"apiKey\":\"s3cret\"";
    assert_eq!(through_cat(&project, bytes), bytes);
    let lines = recorded(&project);
    assert_eq!(lines.len(), 10);
    for from in ["client", "agent"] {
        let of: Vec<&Value> = lines.iter().filter(|line| line["from"] == from).collect();
        assert_eq!(of[0]["message"]["a"], 1);
        assert_eq!(
            (of[1]["text"].as_str(), of[2]["text"].as_str()),
            (Some(""), Some("\u{fffd}\u{fffd}\0\u{1b}[31m"))
        );
        assert_eq!((of[4]["unended"].as_bool(), of[0].get("unended")), (Some(true), None));
    }
    assert!(!fs::read_to_string(project.path().join("tap.jsonl")).unwrap().contains("s3cret"));
}

/// The tokens of this program are for servers, not for the agents that it starts.
#[test]
fn the_agent_gets_no_token_of_this_program() {
    let project = Project::empty();
    let mut command = tapped(&project, "env; exec cat");
    command.env("ATTACHE_TOKEN", "s3cret").env("ATTACHE_NOTIFY_TOKEN", "s3cret");
    let output = command.env("ORDINARY", "ordinary").stdin(Stdio::null()).output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(stdout.contains("ORDINARY=ordinary"), "{stdout}");
    assert!(!stdout.contains("s3cret"), "{stdout}");
}

#[test]
fn a_line_of_40_mb_passes_and_its_start_is_recorded() {
    let project = Project::empty();
    let mut bytes = vec![b'x'; 40_000_000];
    bytes.extend_from_slice(b"\n{}\n");
    assert!(through_cat(&project, &bytes) == bytes);
    let lines = recorded(&project);
    let lengths: Vec<Option<u64>> = lines.iter().map(|line| line["length"].as_u64()).collect();
    assert_eq!(lengths.iter().filter(|length| **length == Some(40_000_000)).count(), 2);
    assert_eq!(lines.len(), 4);
    assert!(lines.iter().all(|line| line["text"].as_str().unwrap_or_default().len() < 5000));
}

#[test]
fn a_piece_passes_before_its_line_ends() {
    let project = Project::empty();
    let (mut child, mut stdin, mut stdout) = started(&project, "exec cat");
    let mut byte = [0];
    for sent in b"{\"x\"" {
        stdin.write_all(&[*sent]).unwrap();
        stdout.read_exact(&mut byte).unwrap();
        assert_eq!(byte, [*sent]);
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn the_end_of_one_direction_passes_while_the_other_continues() {
    let project = Project::empty();
    // The client ends first: the agent sees it and still answers.
    let (mut child, stdin, mut stdout) = started(&project, "cat >/dev/null; echo all read; exit 7");
    drop(stdin);
    let mut out = String::new();
    stdout.read_to_string(&mut out).unwrap();
    assert_eq!((&*out, child.wait().unwrap().code()), ("all read\n", Some(7)));

    // The agent closes its output first: the client sees it and still sends.
    let project = Project::empty();
    let script = "echo bye; exec >&-; cat >got; exit 3";
    let (mut child, mut stdin, mut stdout) = started(&project, script);
    let mut out = String::new();
    stdout.read_to_string(&mut out).unwrap();
    stdin.write_all(b"still here").unwrap();
    drop(stdin);
    assert_eq!((&*out, child.wait().unwrap().code()), ("bye\n", Some(3)));
    assert_eq!(fs::read_to_string(project.path().join("got")).unwrap(), "still here");
}

/// TERM-08: `attache trace` ends as its agent did, with an exit code or by a signal.
#[test]
fn exit_status_and_stderr_of_the_agent_pass_through() {
    let project = Project::empty();
    let ended = tapped(&project, "echo out; printf 'odd \\033[31m words' >&2; kill -SEGV $$")
        .output()
        .unwrap();
    assert_eq!(ended.status.signal(), Some(libc::SIGSEGV), "{ended:?}");
    assert_eq!((&*ended.stdout, &*ended.stderr), (&b"out\n"[..], &b"odd \x1b[31m words"[..]));
    assert_eq!(recorded(&project).len(), 1);
}

#[test]
fn a_client_that_writes_sees_that_the_agent_stopped_reading() {
    let project = Project::empty();
    let (mut child, mut stdin, _stdout) =
        started(&project, "exec <&-; echo closed; exec sleep 1000");
    let deadline = Instant::now() + Duration::from_secs(30);
    while stdin.write_all(b"{}\n").is_ok() {
        assert!(Instant::now() < deadline, "the client never sees it");
    }
    // SAFETY: the child has not been waited for, so the process id is still its own.
    unsafe { libc::kill(i32::try_from(child.id()).unwrap(), libc::SIGTERM) };
    assert_eq!(
        child.wait().unwrap().signal(),
        Some(libc::SIGTERM),
        "the agent got the signal, and did not catch it"
    );
}

#[test]
fn no_process_is_left_if_trace_is_killed() {
    let project = Project::empty();
    let (mut child, _stdin, mut stdout) = started(&project, "sleep 1000 & echo $!; wait");
    let mut pid = [0; 1];
    stdout.read_exact(&mut pid).unwrap();
    child.kill().unwrap();
    // The read ends when the agent and its child, which also write to the pipe, have ended.
    let mut rest = Vec::new();
    stdout.read_to_end(&mut rest).unwrap();
    child.wait().unwrap();
    let pid = String::from_utf8([&pid[..], &rest].concat()).unwrap();
    let process = std::path::Path::new("/proc").join(pid.trim());
    let deadline = Instant::now() + Duration::from_secs(10);
    while process.join("cmdline").exists()
        && !fs::read(process.join("cmdline")).unwrap_or_default().is_empty()
    {
        assert!(Instant::now() < deadline, "{} still runs", process.display());
        std::thread::yield_now();
    }
}

#[test]
fn messages_are_judged_as_they_pass() {
    let project = Project::new();
    let agent = Script {
        initialize: r#"printf '\033[31mWelcome\n'; reply '{"protocolVersion":1}'"#,
        ..Script::default()
    };
    let agent = agent.install(&project);
    let tap =
        format!("{} trace --judge --file tap.jsonl -- {agent}", env!("CARGO_BIN_EXE_attache"));
    let ended = project.run(&["run", "--verbose", "--agent", &tap, "hello"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let checked = project.run(&["check", "trace", "--json", "tap.jsonl"]);
    let rules: Vec<Value> =
        checked.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let stray = rules.iter().find(|finding| finding["rule"] == "RPC-03");
    assert_eq!(stray.unwrap()["line"], 2, "{checked:?}");

    let mut child = project.attache(&["trace", "--judge", "--", "printf", "\\033[31mWelcome\\n"]);
    let ended = child.output().unwrap();
    let stderr = String::from_utf8(ended.stderr).unwrap();
    assert!(stderr.starts_with("attache trace: line 1, agent, RPC-03 MUST NOT: "), "{stderr}");
    assert!(
        stderr.contains("1 line, 1 finding about 1 rule; mandatory: 1.")
            && !stderr.contains('\u{1b}'),
        "{stderr}"
    );
    assert_eq!(ended.stdout, b"\x1b[31mWelcome\n");
}

#[test]
fn wrong_arguments_are_reported_before_the_agent_starts() {
    let project = Project::empty();
    project.run(&["trace", "--", "true"]).failed(2, &["--file <FILE>"]);
    project.run(&["trace", "--judge"]).failed(2, &["-- <CMD>"]);
    project.run(&["trace", "--judge", "--", "no-such-agent"]).failed(3, &["no-such-agent"]);
    fs::write(project.path().join("there"), "mine").unwrap();
    let started = ["trace", "--file", "there", "--", "touch", "started"];
    project.run(&started).failed(2, &["--file: there already exists", "already exists"]);
    assert!(!project.path().join("started").exists());
    assert_eq!(fs::read_to_string(project.path().join("there")).unwrap(), "mine");
}
