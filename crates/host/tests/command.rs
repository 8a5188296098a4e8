//! Commands run for their output.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails at the first unexpected value"
)]

use std::time::Duration;

use attache_host::{Bounded, Command, Exit, Launch};

#[path = "marker/marker.rs"]
#[allow(dead_code, reason = "each test binary uses a part")]
mod marker;

const LONG: Duration = Duration::from_secs(60);

async fn bounded(command: &mut Command, limit: usize) -> Bounded {
    let mut output = Bounded::new(limit);
    while let Some(chunk) = command.chunk().await {
        output.push(chunk);
    }
    output
}

#[tokio::test]
async fn stdout_and_stderr_come_in_the_order_written() {
    let mut command =
        Launch::shell("echo a; echo b >&2; echo c; read line || echo no input; exit 3")
            .run()
            .unwrap();
    assert_eq!(bounded(&mut command, 1024).await.text(), "a\nb\nc\nno input\n");
    assert_eq!(command.wait().await, Exit { code: Some(3), signal: None });
    assert!(!command.timed_out());
}

#[tokio::test]
async fn a_hundred_megabytes_pass_in_bounded_memory() {
    let mut command = Launch::shell("head -c 100000000 /dev/zero; echo end").run().unwrap();
    let before = resident();
    let output = bounded(&mut command, 1000).await;
    assert_eq!((output.total_bytes(), output.lines()), (100_000_004, 1));
    assert!(output.text().ends_with("end\n") && output.text().contains("99999004 bytes left out"));
    let grown = resident().saturating_sub(before);
    assert!(grown < 16 * 1024 * 1024, "grew by {grown} bytes");
}

fn resident() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    pages.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

#[tokio::test]
async fn a_descendant_that_keeps_the_output_open_does_not_block() {
    let marker = marker::fresh();
    let script = "setsid sleep 1000 & sleep 1000 & echo done";
    let mut command = Launch::shell(script).env(marker::NAME, &marker).run().unwrap();
    assert_eq!(bounded(&mut command, 1024).await.text(), "done\n");
    assert_eq!(command.wait().await.code, Some(0));
    assert_eq!(marker::alive(&marker), []);
}

#[tokio::test]
async fn a_command_that_closes_its_output_is_waited_for() {
    let mut command = Launch::shell("exec >&- 2>&-; sleep 0.05; exit 8").run().unwrap();
    assert!(command.chunk().await.is_none());
    assert_eq!(command.try_exit(), Some(Exit { code: Some(8), signal: None }));
}

#[tokio::test]
async fn the_deadline_kills_the_tree_quiet_or_loud() {
    for script in
        ["setsid sleep 1000 & sleep 1000", "setsid yes & yes", "exec >&- 2>&-; sleep 1000"]
    {
        let marker = marker::fresh();
        let mut command = Launch::shell(script).env(marker::NAME, &marker).run().unwrap();
        command.deadline(Duration::from_millis(100));
        assert_eq!(command.wait().await.signal, Some(9), "{script}");
        assert!(command.timed_out(), "{script}");
        assert_eq!(marker::alive(&marker), [], "{script}");
    }
}

#[tokio::test]
async fn a_command_that_ends_before_its_deadline_has_not_timed_out() {
    let mut command = Launch::shell("exit 1").run().unwrap();
    command.deadline(LONG);
    assert_eq!((command.wait().await.code, command.timed_out()), (Some(1), false));
}

#[tokio::test]
async fn kill_ends_the_command_and_its_output_can_still_be_read() {
    let mut command = Launch::shell("echo early; sleep 1000").run().unwrap();
    assert_eq!(command.chunk().await.unwrap(), b"early\n");
    command.kill();
    assert!(command.chunk().await.is_none());
    assert_eq!(command.wait().await.signal, Some(9));
}

#[tokio::test]
async fn dropping_it_cancels_it() {
    let marker = marker::fresh();
    let mut command =
        Launch::shell("setsid sleep 1000 & echo; wait").env(marker::NAME, &marker).run().unwrap();
    command.chunk().await.unwrap();
    drop(command);
    marker::expect_none(&marker);
}

#[tokio::test]
async fn a_program_in_a_terminal_has_a_controlling_terminal() {
    let script = "test -t 0 && test -t 1 && test -t 2 && echo all; stty size; echo by name > /dev/tty; exit 4";
    let mut command = Launch::shell(script).run_in_terminal(30, 100).unwrap();
    assert_eq!(bounded(&mut command, 1024).await.text(), "all\r\n30 100\r\nby name\r\n");
    assert_eq!(command.wait().await.code, Some(4));
}

#[tokio::test]
async fn a_tree_in_a_terminal_ends_with_its_owner() {
    for how in ["end", "kill", "drop"] {
        let marker = marker::fresh();
        let last = if how == "end" { "true" } else { "sleep 1000" };
        let script = format!("trap '' HUP; setsid sleep 1000 & sleep 1000 & echo ready; {last}");
        let mut command =
            Launch::shell(script).env(marker::NAME, &marker).run_in_terminal(24, 80).unwrap();
        assert_eq!(command.chunk().await.unwrap(), b"ready\r\n");
        match how {
            "end" => assert_eq!(command.wait().await.code, Some(0)),
            "kill" => {
                command.kill();
                assert_eq!(command.wait().await.signal, Some(9));
            }
            _ => {
                drop(command);
                marker::expect_none(&marker);
            }
        }
        assert_eq!(marker::alive(&marker), [], "{how}");
    }
}

#[tokio::test]
async fn all_output_of_a_terminal_is_returned() {
    let mut command = Launch::shell("seq 1 20000").run_in_terminal(24, 80).unwrap();
    let output = bounded(&mut command, 1024 * 1024).await;
    let lines: Vec<String> = (1..=20000).map(|number| format!("{number}\r\n")).collect();
    assert!(output.text() == lines.concat(), "{} bytes", output.total_bytes());
}
