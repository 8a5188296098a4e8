//! Starts and ends programs two hundred times in every way, and checks that nothing is left.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails at the first unexpected value"
)]

use std::process::{Command, Stdio};
use std::time::Duration;

use attache_host::{Child, Launch, StopPatience};
use tokio::io::AsyncReadExt;

#[path = "marker/marker.rs"]
#[allow(dead_code, reason = "each test binary uses a part")]
mod marker;

/// A wrapper that runs the actual program in the background, and a descendant in its own session
/// that ignores `SIGTERM`. The program ends when its input ends.
const WRAPPER: &str = "exec 3<&0; setsid sh -c 'trap \"\" TERM; sleep 1000' & sh -c 'echo; cat <&3 >&2; sleep 1000' & wait";

async fn start(marker: &str) -> Child {
    let mut child = Launch::shell(WRAPPER).env(marker::NAME, marker).start().unwrap();
    child.take_stdout().unwrap().read_u8().await.unwrap();
    child
}

/// Not a separate test: the process that is killed while its agent runs.
#[tokio::test]
async fn supervisor() {
    let Ok(marker) = std::env::var(marker::NAME) else { return };
    let child = start(&marker).await;
    eprintln!("\nready");
    child.wait().await;
}

async fn killed_supervisor(marker: &str) {
    let program = std::env::current_exe().unwrap();
    let mut supervisor = Command::new(program)
        .args(["--exact", "supervisor", "--nocapture"])
        .env(marker::NAME, marker)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines =
        std::io::BufRead::lines(std::io::BufReader::new(supervisor.stderr.take().unwrap()));
    assert!(lines.any(|line| line.unwrap() == "ready"));
    supervisor.kill().unwrap();
    supervisor.wait().unwrap();
}

#[tokio::test]
async fn two_hundred_cycles_leave_no_process() {
    if std::env::var_os(marker::NAME).is_some() {
        return;
    }
    let marker = marker::fresh();
    let short = Duration::from_millis(10);
    for cycle in 0..200 {
        match cycle % 10 {
            0 => killed_supervisor(&marker).await,
            1 | 4 | 7 => {
                let mut child = start(&marker).await;
                child.stop(StopPatience { after_stdin: short, after_terminate: short }).await;
            }
            2 | 5 | 8 => {
                let child = start(&marker).await;
                child.kill();
                assert_eq!(child.wait().await.signal, Some(9));
            }
            3 | 6 => drop(start(&marker).await),
            // Dropped at once, perhaps before the program's first instruction.
            _ => drop(Launch::shell(WRAPPER).env(marker::NAME, &marker).start().unwrap()),
        }
    }
    marker::expect_none(&marker);
    marker::eventually("zombies are left", || marker::zombies().is_empty());
}
