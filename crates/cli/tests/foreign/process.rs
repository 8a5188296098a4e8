//! Starts programs and collects their output.

use serde_json::Value;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, Command};

/// The time limit for a program. It only prevents endless waiting.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// Starts a command with pipes for stdin, stdout and stderr; dropping it kills the process. Our
/// agent stores no sessions unless its arguments name a store, because the person who runs the
/// tests may have their own.
pub(crate) fn start(command: &[String]) -> Child {
    Command::new(&command[0])
        .args(&command[1..])
        .env("ATTACHE_STORE", "none")
        .env("ATTACHE_MODEL", "offline")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?} cannot be started: {error}"))
}

/// The end of a program.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    pub(crate) fn code(&self) -> i32 {
        self.status.code().unwrap_or(-1)
    }

    /// Parses each line of stdout as JSON.
    pub(crate) fn events(&self) -> Events {
        let read = |line: &str| {
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
        };
        Events(self.stdout.lines().map(read).collect())
    }
}

/// Closes the program's stdin and waits until the program ends.
pub(crate) async fn end(child: Child) -> Ended {
    end_within(child, PATIENCE).await
}

async fn end_within(mut child: Child, patience: Duration) -> Ended {
    drop(child.stdin.take());
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let ended =
        async { tokio::join!(read(stdout, &mut out), read(stderr, &mut err), child.wait()) };
    let ended = tokio::time::timeout(patience, ended).await;
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (stdout, stderr) = (text(out), text(err));
    match ended {
        Ok((.., status)) => Ended { status: status.unwrap(), stdout, stderr },
        Err(_) => panic!("it did not end in {} s: {stdout}{stderr}", patience.as_secs()),
    }
}

/// Reads a pipe to its end, if it was not read by others.
async fn read(pipe: Option<impl AsyncRead + Unpin>, read: &mut Vec<u8>) {
    if let Some(mut pipe) = pipe {
        pipe.read_to_end(read).await.unwrap();
    }
}

/// Runs a program with this time limit.
pub(crate) async fn run_within(command: &[String], patience: Duration) -> Ended {
    end_within(start(command), patience).await
}

pub(crate) async fn run(command: &[String]) -> Ended {
    end(start(command)).await
}

/// The output of a client: one JSON object per line, each with a member `event`.
#[derive(Debug)]
pub(crate) struct Events(Vec<Value>);

impl Events {
    /// Returns all events in order.
    pub(crate) fn all(&self) -> &[Value] {
        &self.0
    }

    /// Returns the events with this name, in order.
    pub(crate) fn of(&self, name: &str) -> Vec<&Value> {
        self.0.iter().filter(|event| event["event"] == name).collect()
    }

    /// Returns this member of each event with this name, in order.
    pub(crate) fn member(&self, name: &str, member: &str) -> Vec<&Value> {
        self.of(name).into_iter().map(|event| &event[member]).collect()
    }

    /// Returns the updates of this kind that a foreign client printed.
    pub(crate) fn updates(&self, kind: &str) -> Vec<&Value> {
        let updates = self.member("update", "update");
        updates.into_iter().filter(|update| update["sessionUpdate"] == kind).collect()
    }
}

/// Sends signal 9.
pub(crate) fn kill(pid: i64) {
    assert!(shell(&format!("kill -9 {pid}")), "process {pid} can be killed");
}

/// Waits until a process is gone; a zombie counts as gone.
pub(crate) async fn gone(pid: i64) {
    let gone = async {
        while is_alive(pid) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, gone)
        .await
        .unwrap_or_else(|_| panic!("process {pid} is still there"));
}

fn is_alive(pid: i64) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let zombie = stat.rsplit_once(") ").is_some_and(|(_, state)| state.starts_with('Z'));
    !zombie && shell(&format!("kill -0 {pid} 2>/dev/null"))
}

/// Waits until a process has written its id to the file.
pub(crate) async fn pid_in(file: &Path) -> i64 {
    let written = || std::fs::read_to_string(file).ok().and_then(|text| text.trim().parse().ok());
    pid(written, &file.display().to_string()).await
}

/// Waits until a process runs with these arguments.
pub(crate) async fn pid_of(command: &[&str]) -> i64 {
    let line = command.join("\0") + "\0";
    let running = || {
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let mut found = processes.filter(|process| {
            std::fs::read_to_string(process.path().join("cmdline")).is_ok_and(|of_it| of_it == line)
        });
        found.find_map(|process| process.file_name().to_str()?.parse().ok())
    };
    pid(running, &command.join(" ")).await
}

async fn pid(look: impl Fn() -> Option<i64>, whose: &str) -> i64 {
    let looking = async {
        loop {
            match look() {
                Some(pid) => return pid,
                None => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    };
    tokio::time::timeout(PATIENCE, looking)
        .await
        .unwrap_or_else(|_| panic!("no process for {whose}"))
}

fn shell(line: &str) -> bool {
    std::process::Command::new("sh").args(["-c", line]).status().unwrap().success()
}
