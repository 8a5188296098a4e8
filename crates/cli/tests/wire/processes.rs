//! The remaining processes of an agent, and its memory.

use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A variable in the environment of a process, which all of its descendants inherit.
#[derive(Debug)]
pub(crate) struct Mark(String);

impl Mark {
    pub(crate) const VARIABLE: &str = "ATTACHE_TEST_MARK";

    pub(crate) fn new() -> Self {
        static LAST: AtomicU32 = AtomicU32::new(0);
        Self(format!("wire-{}-{}-end", std::process::id(), LAST.fetch_add(1, Ordering::Relaxed)))
    }

    pub(crate) fn value(&self) -> &str {
        &self.0
    }

    /// Returns the command lines of the processes with this mark.
    pub(crate) fn alive(&self) -> Vec<String> {
        let processes = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
        let marked = processes.filter(|path| {
            let environment = fs::read(path.join("environ"));
            environment
                .is_ok_and(|environment| String::from_utf8_lossy(&environment).contains(&self.0))
        });
        let lines = marked.filter_map(|path| fs::read_to_string(path.join("cmdline")).ok());
        lines.filter(|line| !line.is_empty()).collect()
    }

    /// Waits until no command line with the mark contains `word`.
    #[track_caller]
    pub(crate) fn none_of(&self, word: &str) {
        self.wait(|lines| !lines.iter().any(|line| line.contains(word)));
    }

    /// Waits until no process has the mark.
    #[track_caller]
    pub(crate) fn none(&self) {
        self.wait(<[String]>::is_empty);
    }

    #[track_caller]
    pub(crate) fn wait(&self, fine: impl Fn(&[String]) -> bool) {
        let deadline = Instant::now() + Duration::from_secs(10);
        loop {
            let alive = self.alive();
            if fine(&alive) {
                return;
            }
            assert!(Instant::now() < deadline, "still running: {alive:?}");
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Returns the anonymous memory of a process in bytes, without its code, which is backed by the
/// program's file.
pub(crate) fn own_memory(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}
