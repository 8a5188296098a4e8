//! Counters of this process that Linux maintains.

use std::mem::MaybeUninit;

use serde_json::{Value, json};

/// CPU time and context switches.
#[derive(Debug, Clone, Copy)]
pub struct Usage {
    pub user_us: u64,
    pub sys_us: u64,
    pub voluntary: u64,
    pub involuntary: u64,
}

/// Returns the usage of the process since its start.
pub fn usage() -> Usage {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is valid for writes, and a zeroed rusage is a valid value.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr());
        usage.assume_init()
    };
    let microseconds = |time: libc::timeval| time.tv_sec as u64 * 1_000_000 + time.tv_usec as u64;
    Usage {
        user_us: microseconds(usage.ru_utime),
        sys_us: microseconds(usage.ru_stime),
        voluntary: usage.ru_nvcsw as u64,
        involuntary: usage.ru_nivcsw as u64,
    }
}

/// Returns the resident memory in KiB.
pub fn rss_kb() -> u64 {
    status_kb("VmRSS:")
}

/// Returns the peak of resident memory in KiB since the start or the last `reset_peak`.
pub fn peak_rss_kb() -> u64 {
    status_kb("VmHWM:")
}

fn status_kb(key: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Resets the value of `peak_rss_kb`. If the system refuses, the peak is still counted from the
/// start of the process.
pub fn reset_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// Returns the usage of an idle process since `before`.
pub fn idle_since(before: Usage) -> Value {
    let after = usage();
    let voluntary = after.voluntary - before.voluntary;
    json!({
        "idle_cpu_us": after.user_us + after.sys_us - before.user_us - before.sys_us,
        "idle_ctx": voluntary + after.involuntary - before.involuntary,
        "idle_ctx_voluntary": voluntary,
        "threads": std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count),
        "rss_kb": rss_kb(),
    })
}

/// Stops this process until another process sends SIGCONT.
pub fn stop() {
    // SAFETY: raising a signal touches no memory of this process.
    unsafe { libc::raise(libc::SIGSTOP) };
}
