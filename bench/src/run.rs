//! One run of a measured program.

use serde_json::Value;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A command with its environment. The program prints one JSON object.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) command: Vec<String>,
    pub(crate) environment: Vec<(&'static str, &'static str)>,
    /// Whether the measured program stops itself once. The benchmark then continues it when its
    /// memory and that of its agent no longer grow.
    pub(crate) stops: bool,
}

impl Program {
    /// Returns what identifies the runs of this program.
    pub(crate) fn key(&self) -> Vec<String> {
        let environment = self.environment.iter().map(|(name, value)| format!("{name}={value}"));
        environment.chain(self.command.iter().cloned()).collect()
    }

    pub(crate) fn run(&self) -> Value {
        let mut child = Command::new(&self.command[0])
            .args(&self.command[1..])
            .envs(self.environment.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", self.command[0]));
        if self.stops {
            continue_process(child.id());
        }
        let mut text = String::new();
        std::io::Read::read_to_string(&mut child.stdout.take().unwrap(), &mut text).unwrap();
        child.wait().unwrap();
        let line = text.lines().last().unwrap_or_default();
        serde_json::from_str(line)
            .unwrap_or_else(|error| panic!("{:?} printed {text:?}: {error}", self.command))
    }
}

/// Waits until the process has stopped itself and its memory no longer grows, then continues it.
fn continue_process(pid: u32) {
    let pid = pid as libc::pid_t;
    let mut status = 0;
    // SAFETY: `status` points to a local variable that outlives the call.
    let waited = unsafe { libc::waitpid(pid, &raw mut status, libc::WUNTRACED) };
    assert!(
        waited == pid && libc::WIFSTOPPED(status),
        "the program ended before it stopped itself"
    );
    let (mut last, mut same) = (0, 0);
    while same < 5 {
        std::thread::sleep(Duration::from_millis(100));
        let now = tree_memory(pid as u32);
        same = if now == last { same + 1 } else { 0 };
        last = now;
    }
    // SAFETY: `kill` accesses no memory. The child has not been reaped, so no other process can
    // have its id.
    unsafe { libc::kill(pid, libc::SIGCONT) };
}

/// Returns the resident memory of a process and its descendants in kB.
fn tree_memory(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let own = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    let children =
        std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    own.unwrap_or(0)
        + children
            .split_whitespace()
            .filter_map(|child| child.parse().ok())
            .map(tree_memory)
            .sum::<u64>()
}

/// Returns the CPU time of both processes per item in microseconds, if the report contains it.
pub(crate) fn cpu(report: &Value) -> f64 {
    let part = |key: &str| report[key].as_f64().unwrap_or(0.0);
    part("client_cpu_us_per_item") + part("agent_cpu_us_per_item")
}

/// Returns the value in the middle.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Formats a number for people.
pub(crate) fn number(value: f64) -> String {
    match value.abs() {
        large if large >= 10_000_000.0 => format!("{:.1} M", value / 1e6),
        large if large >= 1_000_000.0 => format!("{:.2} M", value / 1e6),
        large if large >= 10_000.0 => format!("{:.0} k", value / 1e3),
        large if large >= 100.0 => format!("{value:.0}"),
        _ => format!("{value:.2}"),
    }
}
