//! A measured span of work on the client's side.

use std::time::Instant;

use serde_json::{Value, json};

use crate::{allocation, process};

/// A span that starts when it is created.
#[derive(Debug)]
pub struct Span {
    start: Instant,
    usage: process::Usage,
    allocations: (u64, u64),
}

impl Span {
    pub fn begin() -> Self {
        let (usage, allocations) = (process::usage(), allocation::so_far());
        Self { start: Instant::now(), usage, allocations }
    }

    /// Returns the total time and the time per item for `items` items.
    pub fn end(&self, items: usize) -> Value {
        let (seconds, usage, allocations) =
            (self.start.elapsed().as_secs_f64(), process::usage(), allocation::so_far());
        let user = (usage.user_us - self.usage.user_us) as f64;
        let system = (usage.sys_us - self.usage.sys_us) as f64;
        let count = items as f64;
        json!({
            "secs": seconds,
            "per_s": count / seconds,
            "client_user_ms": user / 1e3,
            "client_sys_ms": system / 1e3,
            "client_cpu_us_per_item": (user + system) / count,
            "client_allocs_per_item": (allocations.0 - self.allocations.0) as f64 / count,
            "client_alloc_bytes_per_item": (allocations.1 - self.allocations.1) as f64 / count,
            "ctx_voluntary": usage.voluntary - self.usage.voluntary,
            "ctx_involuntary": usage.involuntary - self.usage.involuntary,
        })
    }
}

/// Returns percentiles in microseconds of latencies in nanoseconds.
pub fn percentiles(mut nanoseconds: Vec<u64>) -> Value {
    nanoseconds.sort_unstable();
    let last = nanoseconds.len().saturating_sub(1) as f64;
    let at =
        |share: f64| nanoseconds.get((last * share) as usize).map_or(0.0, |ns| *ns as f64 / 1e3);
    let mean = nanoseconds.iter().sum::<u64>() as f64 / nanoseconds.len().max(1) as f64 / 1e3;
    json!({"p50_us": at(0.5), "p90_us": at(0.9), "p99_us": at(0.99), "min_us": at(0.0), "mean_us": mean})
}
