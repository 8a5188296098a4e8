//! Code that the measured programs share: counters of the process.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a benchmark stops at the first error"
)]

pub mod stored;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The number of allocations of this process so far. Counted only with the feature
/// `count-allocations`.
pub static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

/// The system allocator with a counter.
#[derive(Debug)]
pub struct Counting;

// SAFETY: every call is forwarded unchanged to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        // SAFETY: the caller upholds the contract of this method.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller upholds the contract of this method.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        // SAFETY: the caller upholds the contract of this method.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[cfg(feature = "count-allocations")]
#[global_allocator]
static COUNTING: Counting = Counting;

/// The resources that this process has used so far.
#[derive(Debug, Clone, Copy)]
pub struct Used {
    /// CPU time, user and system, in microseconds.
    pub cpu_us: u64,
    /// Voluntary context switches.
    pub waits: u64,
    /// Allocations; see [`ALLOCATIONS`].
    pub allocations: u64,
}

/// Reads the counters.
pub fn used() -> Used {
    // SAFETY: `rusage` consists of integers, so all zeros are a valid value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` points to a local variable that outlives the call.
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) };
    let micros = |time: libc::timeval| time.tv_sec as u64 * 1_000_000 + time.tv_usec as u64;
    Used {
        cpu_us: micros(usage.ru_utime) + micros(usage.ru_stime),
        waits: usage.ru_nvcsw as u64,
        allocations: ALLOCATIONS.load(Relaxed),
    }
}

/// Returns an agent's answer to `_bench/stats`.
pub fn stats() -> String {
    let used = used();
    let stats = serde_json::json!({
        "user_us": used.cpu_us, "sys_us": 0, "allocs": used.allocations, "waits": used.waits,
        "rss_kb": memory_kb("VmRSS:"), "peak_rss_kb": memory_kb("VmHWM:"),
    });
    stats.to_string()
}

/// Returns the value of a line of `/proc/self/status` in kB: `VmRSS:` is the current memory,
/// `VmHWM:` the peak.
pub fn memory_kb(key: &str) -> u64 {
    memory_kb_of(std::process::id(), key)
}

/// Returns a line of `/proc/PID/status` in kB, for another process.
pub fn memory_kb_of(process: u32, key: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(key));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
}

/// Returns the CPU time of a process in seconds.
pub fn cpu_s_of(process: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name of the program is in parentheses and can contain spaces.
    let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields).split(' ');
    let ticks: u64 = fields.skip(11).take(2).filter_map(|it| it.parse::<u64>().ok()).sum();
    ticks as f64 / 100.0
}

/// Returns the time in microseconds, which all processes of this machine share.
pub fn now_us() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    since.as_micros() as u64
}

/// Returns `size` bytes of plain text.
pub fn filler(size: usize) -> String {
    "the quick brown fox jumps over a lazy dog, ".chars().cycle().take(size).collect()
}

/// Creates the runtime of a measured program: single-threaded, or multi-threaded like that of
/// `#[tokio::main]` if `RT=multi` is set.
pub fn runtime() -> tokio::runtime::Runtime {
    let mut builder = match std::env::var("RT").as_deref() {
        Ok("multi") => tokio::runtime::Builder::new_multi_thread(),
        _ => tokio::runtime::Builder::new_current_thread(),
    };
    builder.enable_all().build().unwrap()
}
